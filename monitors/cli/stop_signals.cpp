#include "monitors/cli/stop_signals.h"

namespace eventspace {

bool StopSignals::wait_for(std::chrono::nanoseconds time) {
  came_ = came_ || signals_.next(time).has_value();
  return came_;
}

void StopSignals::wait() {
  while (!wait_for(std::chrono::hours(1))) {
  }
}

}  // namespace eventspace
