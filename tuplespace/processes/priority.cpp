#include "tuplespace/processes/priority.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>
#include <utility>

namespace eventspace {
namespace {

constexpr std::array<std::pair<std::string_view, Priority>, 3> words{
    {{"idle", Priority::idle}, {"low", Priority::low}, {"normal", Priority::normal}}};
constexpr const char* group_file = "/proc/self/autogroup";
constexpr int low_nice = 10;
constexpr int max_nice = 19;

std::string take_nice(int wanted) {
  errno = 0;
  const int now = ::getpriority(PRIO_PROCESS, 0);
  if (errno == 0 && now >= wanted) return {};
  if (::setpriority(PRIO_PROCESS, 0, wanted) == 0) return {};
  return fmt::format("nice {} could not be set: {}", wanted, std::strerror(errno));
}

// A kernel without autogroups lacks the file; if the administrator has switched them off, the file still
// exists.
bool shares_by_session() noexcept {
  std::ifstream setting("/proc/sys/kernel/sched_autogroup_enabled");
  int enabled = 0;
  return setting >> enabled && enabled != 0 && ::access(group_file, F_OK) == 0;
}

bool leads_its_session() noexcept { return ::getsid(0) == ::getpid(); }

// Returns 0, or the error of write(2).
int write_group(int nice) {
  const int file = ::open(group_file, O_WRONLY | O_CLOEXEC);
  if (file < 0) return errno;
  const std::string text = std::to_string(nice);
  const bool written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int error = written ? 0 : errno;
  ::close(file);
  return error;
}

}  // namespace

std::string_view to_string(Priority priority) noexcept {
  for (const auto& [word, value] : words) {
    if (value == priority) return word;
  }
  return "?";
}

std::optional<Priority> priority_from(std::string_view word) noexcept {
  for (const auto& [known, value] : words) {
    if (known == word) return value;
  }
  return std::nullopt;
}

std::string take_priority(Priority priority) {
  switch (priority) {
    case Priority::normal:
      return {};
    case Priority::low:
      return take_nice(low_nice);
    case Priority::idle:
      break;
  }
  const sched_param none{};
  if (::sched_setscheduler(0, SCHED_IDLE, &none) == 0) return {};
  const std::string why = fmt::format("SCHED_IDLE could not be set: {}", std::strerror(errno));
  const std::string more = take_nice(max_nice);
  return more.empty() ? why + "; it has nice 19 instead" : why + "; " + more;
}

bool shares_its_session_group() noexcept { return shares_by_session() && !leads_its_session(); }

std::string take_session_priority(Priority priority, double patience_s) {
  using Clock = std::chrono::steady_clock;
  if (priority == Priority::normal || !shares_by_session() || !leads_its_session()) return {};
  const int nice = priority == Priority::idle ? max_nice : low_nice;
  const auto until = Clock::now() + std::chrono::duration<double>(patience_s);
  int error = write_group(nice);
  while (error == EAGAIN && Clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    error = write_group(nice);
  }
  if (error == 0) return {};
  return fmt::format("nice {} of the session's group of processes ({}) could not be set: {}", nice,
                     group_file, std::strerror(error));
}

}  // namespace eventspace
