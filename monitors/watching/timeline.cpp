#include "monitors/watching/timeline.h"

#include <thread>

namespace eventspace {

bool RealTime::wait(std::chrono::nanoseconds pause) {
  if (signals_ != nullptr) return signals_->wait_for(pause);
  std::this_thread::sleep_for(pause);
  return false;
}

}  // namespace eventspace
