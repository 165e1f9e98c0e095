#include "monitors/cli/signal_waiter.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <eventspace/error.h>

namespace eventspace {
namespace {

timespec to_timespec(std::chrono::nanoseconds time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return {seconds.count(), (time - seconds).count()};
}

// nohup ignores SIGHUP. A blocked signal is delivered to sigwait() even if it is ignored, so it must not be
// blocked then.
bool is_hang_up_ignored() {
  struct sigaction action {};
  return ::sigaction(SIGHUP, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

SignalWaiter::SignalWaiter(std::initializer_list<int> signals) {
  sigemptyset(&signals_);
  for (const int signal : signals) sigaddset(&signals_, signal);
  if (is_hang_up_ignored()) sigdelset(&signals_, SIGHUP);
  ::pthread_sigmask(SIG_BLOCK, &signals_, &before_);
}

SignalWaiter::~SignalWaiter() {
  if (descriptor_ >= 0) ::close(descriptor_);
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int SignalWaiter::descriptor() {
  if (descriptor_ < 0) descriptor_ = ::signalfd(-1, &signals_, SFD_CLOEXEC | SFD_NONBLOCK);
  if (descriptor_ < 0) throw EnvironmentError::from_errno("cannot wait for signals", errno);
  return descriptor_;
}

std::optional<int> SignalWaiter::next(std::chrono::nanoseconds time) {
  using std::chrono::steady_clock;
  const auto until = steady_clock::now() + time;
  while (true) {
    const auto left = std::max<std::chrono::nanoseconds>(until - steady_clock::now(), {});
    const timespec limit = to_timespec(left);
    const int signal = ::sigtimedwait(&signals_, nullptr, &limit);
    if (signal > 0) return signal;
    if (errno != EINTR) return std::nullopt;
  }
}

}  // namespace eventspace
