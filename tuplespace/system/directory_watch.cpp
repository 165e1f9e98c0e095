#include "tuplespace/system/directory_watch.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "tuplespace/system/library_thread.h"

namespace eventspace {
namespace {

// Both limits on inotify apply to all processes of a user together.
std::string limit_of_instances() {
  std::string now = "?";
  std::ifstream("/proc/sys/fs/inotify/max_user_instances") >> now;
  return fmt::format(
      "raise fs.inotify.max_user_instances, which is {} here (in a user namespace "
      "user.max_inotify_instances as well)",
      now);
}

std::string problem_with(const std::filesystem::path& directory, int error, const std::string& advice) {
  return fmt::format("cannot watch directory {}: {} (errno {}){}{}", directory.string(),
                     std::generic_category().message(error), error, advice.empty() ? "" : "; ", advice);
}

}  // namespace

DirectoryWatch::DirectoryWatch(const std::filesystem::path& directory, std::string prefix,
                               std::function<void()> appeared)
    : prefix_(std::move(prefix)), appeared_(std::move(appeared)), problem_(begin(directory)) {
  if (works()) thread_ = start_library_thread([this] { run(); });
}

// The eventfd comes first: if even that fails, the process is out of descriptors; if only inotify_init1 fails
// with EMFILE, the user is out of inotify instances, and another limit has to be raised.
std::string DirectoryWatch::begin(const std::filesystem::path& directory) {
  stop_ = FileHandle(::eventfd(0, EFD_CLOEXEC));
  if (!stop_.valid()) return problem_with(directory, errno, "raise the limit on open files (ulimit -n)");
  changes_ = FileHandle(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (const int error = errno; !changes_.valid())
    return problem_with(directory, error, error == EMFILE ? limit_of_instances() : "");
  // Not IN_CREATE: a file that is complete gets its name by rename(2), and drafts do not matter.
  const int watch = ::inotify_add_watch(changes_.get(), directory.c_str(), IN_MOVED_TO | IN_ONLYDIR);
  if (const int error = errno; watch < 0)
    return problem_with(directory, error, error == ENOSPC ? "raise fs.inotify.max_user_watches" : "");
  return "";
}

DirectoryWatch::~DirectoryWatch() {
  if (!thread_.joinable()) return;
  ::eventfd_write(stop_.get(), 1);
  thread_.join();
}

void DirectoryWatch::run() {
  std::array<pollfd, 2> sources{{{changes_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}}};
  while (true) {
    if (::poll(sources.data(), sources.size(), -1) < 0) continue;  // interrupted by a signal
    if (sources[1].revents != 0) return;
    if (has_one()) appeared_();
  }
}

// Reads all pending changes. If the kernel's queue has overflowed, a lost change may have been a matching
// file, so that counts as one.
bool DirectoryWatch::has_one() const {
  bool found = false;
  alignas(inotify_event) std::array<char, 4096> buffer;
  ssize_t bytes = 0;
  while ((bytes = ::read(changes_.get(), buffer.data(), buffer.size())) > 0) {
    for (const char* at = buffer.data(); at < buffer.data() + bytes;) {
      const auto* const change = reinterpret_cast<const inotify_event*>(at);
      const std::string_view name = change->len == 0 ? "" : change->name;
      found = found || name.starts_with(prefix_) || (change->mask & IN_Q_OVERFLOW) != 0;
      at += sizeof(inotify_event) + change->len;
    }
  }
  return found;
}

}  // namespace eventspace
