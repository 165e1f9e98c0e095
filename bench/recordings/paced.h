#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>

namespace eventspace::bench {

/// Calls `each` for the numbers from 1 to `count`, `rate` per second: some at a time, every millisecond.
/// Calls that were late because the machine was busy are caught up.
inline void do_paced(std::uint64_t count, double rate, const std::function<void(std::uint64_t)>& each) {
  using Clock = std::chrono::steady_clock;
  const auto begun = Clock::now();
  auto due = begun;
  for (std::uint64_t done = 0; done < count;) {
    due += std::chrono::milliseconds(1);
    std::this_thread::sleep_until(due);
    const std::chrono::duration<double> passed = due - begun;
    const auto until = std::min(count, static_cast<std::uint64_t>(passed.count() * rate));
    while (done < until) each(++done);
  }
}

}  // namespace eventspace::bench
