#include "monitors/watching/timeline.h"

#include <thread>

#include "monitors/watching/own_pace.h"

namespace eventspace {

bool RealTime::wait(std::chrono::nanoseconds asked) {
  const std::chrono::nanoseconds pause = own_pause(asked);
  if (signals_ != nullptr) return signals_->wait_for(pause);
  std::this_thread::sleep_for(pause);
  return false;
}

void RealTime::go_on() {
  if (signals_ != nullptr) signals_->go_on();
}

}  // namespace eventspace
