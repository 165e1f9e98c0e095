#include "tuplespace/processes/process_stat.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include <eventspace/error.h>
#include "tuplespace/parsing/number_in.h"
#include "tuplespace/parsing/words.h"

namespace eventspace {
namespace {

std::uint64_t number(std::string_view word) { return leading_number<std::uint64_t>(word); }

// Parses the fields after "pid (name)". The name may contain any character, so the last ')' ends it.
ProcessStat parse(std::string_view line) {
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string_view::npos) return {};
  std::string_view rest = line.substr(name_end + 1);
  static const auto ticks_per_second = static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  ProcessStat stat;
  std::uint64_t cpu_ticks = 0;
  for (int field = 3; field <= 22; ++field) {
    const std::string_view word = take_word(rest);
    if (word.empty()) return {};
    if (field == 3) stat.state = word.front();
    if (field == 14 || field == 15) cpu_ticks += number(word);
    if (field == 20) stat.threads = number(word);
    if (field == 22) stat.start_ticks = number(word);
  }
  stat.cpu = std::chrono::nanoseconds(cpu_ticks * (1'000'000'000 / ticks_per_second));
  return stat;
}

FileHandle open_stat(std::int32_t pid, std::int32_t tid) {
  std::array<char, 64> path{};
  if (tid == 0) {
    fmt::format_to_n(path.data(), path.size() - 1, "/proc/{}/stat", pid);
  } else {
    fmt::format_to_n(path.data(), path.size() - 1, "/proc/{}/task/{}/stat", pid, tid);
  }
  return FileHandle(::open(path.data(), O_RDONLY | O_CLOEXEC));
}

// The result if a file in /proc cannot be opened or read: only these errors mean that the process is gone.
std::optional<ProcessStat> stat_after(int error) {
  if (error == ENOENT || error == ESRCH) return std::nullopt;
  return ProcessStat{};
}

// Reads at offset 0, so that a file that was read before yields the current state.
std::optional<ProcessStat> read(const FileHandle& file) {
  std::array<char, 1024> text{};
  const ssize_t length = ::pread(file.get(), text.data(), text.size(), 0);
  if (length < 0) return stat_after(errno);
  return parse({text.data(), static_cast<std::size_t>(length)});
}

}  // namespace

std::optional<ProcessStat> read_process_stat(std::int32_t pid, std::int32_t tid) {
  const FileHandle file = open_stat(pid, tid);
  return file.valid() ? read(file) : stat_after(errno);
}

std::optional<ProcessStat> require_process_stat(std::int32_t pid, std::string_view why) {
  auto stat = read_process_stat(pid);
  if (!stat || stat->is_known()) return stat;
  throw EnvironmentError(fmt::format(
      "cannot read /proc/{}/stat, {}; is the limit on open files reached (ulimit -n)?", pid, why));
}

// By its name: in a separate PID namespace, /proc may belong to an outer namespace, with other ids.
std::uint64_t own_start_ticks() {
  const FileHandle file(::open("/proc/self/stat", O_RDONLY | O_CLOEXEC));
  const auto self = file.valid() ? read(file) : stat_after(errno);
  if (self && !self->is_known())
    throw EnvironmentError(
        "cannot read /proc/self/stat, from which other processes see that this one runs; is the limit on "
        "open files reached (ulimit -n)?");
  if (self) return self->start_ticks;
  throw EnvironmentError(
      "there is no /proc/self/stat, from which other processes see that this one runs; is "
      "/proc mounted?");
}

MainThread::MainThread() : why_not_(ESRCH) {}
MainThread::MainThread(std::int32_t pid) : file_(open_stat(pid, pid)), why_not_(errno) {}

std::optional<ProcessStat> MainThread::stat() const {
  return file_.valid() ? read(file_) : stat_after(why_not_);
}

bool is_alive(std::int32_t pid, std::uint64_t start_ticks) {
  const auto stat = MainThread(pid).stat();
  if (!stat || !stat->is_known()) return stat.has_value();
  return stat->is_alive_since(start_ticks);
}

}  // namespace eventspace
