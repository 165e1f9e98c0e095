#include "monitors/cli/stop_signals.h"

namespace eventspace {

// A signal of a screen ends the wait early, because it needs an answer; callers wait in a loop.
bool StopSignals::wait_for(std::chrono::nanoseconds time) {
  if (came_) return true;
  if (const auto signal = signals_.next(time)) take(*signal);
  return came_;
}

std::optional<int> StopSignals::next_of_screen() {
  while (const auto signal = signals_.next({})) take(*signal);
  if (of_screen_.empty()) return std::nullopt;
  const int first = of_screen_.front();
  of_screen_.pop_front();
  return first;
}

void StopSignals::take(int signal) {
  if (signal == SIGWINCH || signal == SIGTSTP || signal == SIGCONT) {
    of_screen_.push_back(signal);
  } else {
    came_ = true;
  }
}

void StopSignals::wait() {
  while (!wait_for(std::chrono::hours(1))) {
  }
}

}  // namespace eventspace
