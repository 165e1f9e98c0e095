#include "monitors/watching/timeline.h"

#include <thread>

namespace eventspace {

bool RealTime::wait(std::chrono::nanoseconds pause) {
  if (signals_ != nullptr) return signals_->wait_for(pause);
  std::this_thread::sleep_for(pause);
  return false;
}

void RealTime::go_on() {
  if (signals_ != nullptr) signals_->go_on();
}

}  // namespace eventspace
