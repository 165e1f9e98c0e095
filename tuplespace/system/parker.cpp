#include "tuplespace/system/parker.h"

#include "tuplespace/system/futex.h"
#include "tuplespace/system/look_out.h"

namespace eventspace {

void Parker::unpark() noexcept {
  // The address is taken first: after the exchange the sleeper may have destroyed this object.
  const auto* const word = &state_;
  if (state_.exchange(unparked, std::memory_order_acq_rel) == asleep)
    futex_wake(word, 1, FutexReach::process);
}

void Parker::park() noexcept {
  if (unparked_soon() || !fall_asleep()) return;
  while (!is_unparked()) futex_wait(state_, asleep, Deadline::never(), FutexReach::process);
}

bool Parker::park_until(Deadline deadline) noexcept {
  if (deadline.is_never()) {
    park();
    return true;
  }
  if (unparked_soon() || !fall_asleep()) return true;
  while (!is_unparked()) {
    if (deadline.passed()) return false;
    futex_wait(state_, asleep, deadline, FutexReach::process);
  }
  return true;
}

bool Parker::unparked_soon() const noexcept {
  return look_out([this] { return is_unparked(); });
}

/// Announces the sleep, so that unpark() makes the system call; also when called again after a timeout.
/// Returns false if unpark() came first.
bool Parker::fall_asleep() noexcept {
  std::uint32_t expected = awake;
  return state_.compare_exchange_strong(expected, asleep, std::memory_order_acq_rel) || expected == asleep;
}

}  // namespace eventspace
