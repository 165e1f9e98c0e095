#pragma once

#include <chrono>
#include <thread>

namespace eventspace::bench {

/// Returns whether `holds` becomes true within twenty seconds.
template <class Holds>
bool eventually(Holds holds) {
  using Clock = std::chrono::steady_clock;
  for (const auto end = Clock::now() + std::chrono::seconds(20); Clock::now() < end;) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

}  // namespace eventspace::bench
