#include "monitors/servers/process_handle.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <eventspace/error.h>
#include "tuplespace/processes/process_stat.h"

namespace eventspace {

using std::chrono::steady_clock;

std::optional<ProcessHandle> ProcessHandle::open(std::int32_t pid, std::uint64_t start_ticks) {
  if (pid <= 0) return std::nullopt;
  FileHandle handle(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!handle.valid() && errno == ESRCH) return std::nullopt;
  if (!handle.valid()) throw EnvironmentError::from_errno(fmt::format("cannot open process {}", pid), errno);
  // The number cannot be reused while the handle is held, so the start time that is read now belongs to the
  // held process.
  const auto stat = require_process_stat(pid, "to check that it is still the same process");
  if (!stat || !stat->is_alive_since(start_ticks)) return std::nullopt;
  return ProcessHandle(std::move(handle));
}

void ProcessHandle::signal(int number) const noexcept {
  ::syscall(SYS_pidfd_send_signal, handle_.get(), number, nullptr, 0);
}

bool ProcessHandle::wait_ended(std::chrono::nanoseconds time) const {
  const auto until = steady_clock::now() + time;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - steady_clock::now());
    pollfd event{handle_.get(), POLLIN, 0};
    const int found = ::poll(&event, 1, static_cast<int>(std::clamp<long>(left.count(), 0, 60'000)));
    if (found > 0) return true;
    if (found == 0 && steady_clock::now() >= until) return false;
    if (found < 0 && errno != EINTR) return false;
  }
}

void end_processes(const std::vector<const ProcessHandle*>& processes, std::chrono::nanoseconds patience) {
  for (const ProcessHandle* process : processes) process->signal(SIGTERM);
  const auto until = steady_clock::now() + patience;
  for (const ProcessHandle* process : processes) {
    if (process->wait_ended(until - steady_clock::now())) continue;
    process->signal(SIGKILL);
    [[maybe_unused]] const bool ended = process->wait_ended(patience);
  }
}

}  // namespace eventspace
