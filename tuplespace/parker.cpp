#include "tuplespace/parker.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>
#include <thread>

namespace eventspace {
namespace {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

// How often a sleeper looks before it sleeps: for about as long as falling asleep and being woken costs, so
// that a wait costs at most twice what it must. It yields in between; others may need the core.
constexpr int looks_without_yield = 4;
constexpr int looks_with_yield = 20;

// Spurious returns are fine: the callers look at the word again.
void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t value, const timespec* until) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, value, until, nullptr, FUTEX_BITSET_MATCH_ANY);
}

void wake_sleeper(const std::atomic<std::uint32_t>* word) noexcept {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

/// The steady clock is CLOCK_MONOTONIC, by which the kernel measures a FUTEX_WAIT_BITSET.
timespec to_timespec(Deadline::Clock::time_point at) noexcept {
  const auto nanoseconds = std::chrono::nanoseconds(at.time_since_epoch()).count();
  return {static_cast<time_t>(nanoseconds / 1'000'000'000), static_cast<long>(nanoseconds % 1'000'000'000)};
}

}  // namespace

void Parker::unpark() noexcept {
  const auto* const word = &state_;
  if (state_.exchange(unparked, std::memory_order_acq_rel) == asleep) wake_sleeper(word);
}

void Parker::park() noexcept {
  if (look_out() || !fall_asleep()) return;
  while (!is_unparked()) wait_while(state_, asleep, nullptr);
}

bool Parker::park_until(Deadline deadline) noexcept {
  if (deadline.is_never()) {
    park();
    return true;
  }
  if (look_out() || !fall_asleep()) return true;
  const timespec until = to_timespec(deadline.time());
  while (!is_unparked()) {
    if (deadline.passed()) return false;
    wait_while(state_, asleep, &until);
  }
  return true;
}

bool Parker::look_out() const noexcept {
  for (int look = 0; look < looks_without_yield + looks_with_yield; ++look) {
    if (is_unparked()) return true;
    if (look >= looks_without_yield) std::this_thread::yield();
  }
  return is_unparked();
}

/// False when the unpark came first.
bool Parker::fall_asleep() noexcept {
  std::uint32_t expected = awake;
  return state_.compare_exchange_strong(expected, asleep, std::memory_order_acq_rel) || expected == asleep;
}

}  // namespace eventspace
