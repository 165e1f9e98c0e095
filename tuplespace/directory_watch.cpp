#include "tuplespace/directory_watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <string_view>
#include <utility>

namespace eventspace {

DirectoryWatch::DirectoryWatch(const std::filesystem::path& directory, std::string prefix,
                               std::function<void()> appeared)
    : prefix_(std::move(prefix)),
      appeared_(std::move(appeared)),
      changes_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)),
      stop_(::eventfd(0, EFD_CLOEXEC)) {
  if (!changes_.valid() || !stop_.valid()) return;
  if (::inotify_add_watch(changes_.get(), directory.c_str(), IN_MOVED_TO | IN_ONLYDIR) < 0) return;
  thread_ = std::thread([this] { run(); });
}

DirectoryWatch::~DirectoryWatch() {
  if (!thread_.joinable()) return;
  ::eventfd_write(stop_.get(), 1);
  thread_.join();
}

void DirectoryWatch::run() {
  std::array<pollfd, 2> sources{{{changes_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}}};
  while (true) {
    if (::poll(sources.data(), sources.size(), -1) < 0) continue;  // a signal
    if (sources[1].revents != 0) return;
    if (has_one()) appeared_();
  }
}

// Reads all that is there. Changes that the kernel had no room for may have been one.
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
