#include "monitors/stop_signals.h"

#include <algorithm>
#include <cerrno>

namespace eventspace {

StopSignals::StopSignals() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &signals_, &before_);
}

StopSignals::~StopSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

bool StopSignals::wait_for(std::chrono::nanoseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (!came_) {
    const auto left = std::max<std::chrono::nanoseconds>(until - std::chrono::steady_clock::now(), {});
    const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
    const timespec limit{seconds.count(), (left - seconds).count()};
    came_ = ::sigtimedwait(&signals_, nullptr, &limit) > 0;
    if (!came_ && errno != EINTR) return false;
  }
  return true;
}

void StopSignals::wait() {
  while (!wait_for(std::chrono::hours(1))) {
  }
}

}  // namespace eventspace
