#pragma once

#include <thread>

namespace eventspace {

/// Polls `came` for a while before the caller goes to sleep, and returns whether it became true. It polls for
/// about as long as a thread takes to fall asleep and be woken, so that a wait takes at most twice the
/// necessary time. In between it yields, because other threads may need the core.
template <class Condition>
[[nodiscard]] bool look_out(const Condition& came) noexcept {
  constexpr int looks_without_yield = 4;
  constexpr int looks_with_yield = 20;
  for (int look = 0; look < looks_without_yield + looks_with_yield; ++look) {
    if (came()) return true;
    if (look >= looks_without_yield) std::this_thread::yield();
  }
  return came();
}

}  // namespace eventspace
