#pragma once

// Private to tuplespace/.

#include <thread>

namespace eventspace {

/// Looks for `came` a while before the caller goes to sleep: for about as long as falling asleep and being
/// woken costs, so that a wait costs at most twice what it must. It yields in between; others may need the
/// core. Says whether it came.
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
