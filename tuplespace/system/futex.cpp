#include "tuplespace/system/futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

namespace eventspace {
namespace {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

int with(int command, FutexReach reach) noexcept {
  return reach == FutexReach::process ? command | FUTEX_PRIVATE_FLAG : command;
}

/// The steady clock is CLOCK_MONOTONIC, which is also the clock of FUTEX_WAIT_BITSET.
timespec to_timespec(Deadline::Clock::time_point at) noexcept {
  const auto nanoseconds = std::chrono::nanoseconds(at.time_since_epoch()).count();
  return {static_cast<time_t>(nanoseconds / 1'000'000'000), static_cast<long>(nanoseconds % 1'000'000'000)};
}

}  // namespace

void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t value, Deadline deadline,
                FutexReach reach) noexcept {
  if (deadline.is_now()) return;
  timespec until{};
  if (!deadline.is_never()) until = to_timespec(deadline.time());
  // Errors are ignored: each means that the word has changed, the time is up, or a signal came, and callers
  // check all of that themselves.
  syscall(SYS_futex, &word, with(FUTEX_WAIT_BITSET, reach), value, deadline.is_never() ? nullptr : &until,
          nullptr, FUTEX_BITSET_MATCH_ANY);
}

void futex_wake(const std::atomic<std::uint32_t>* word, int count, FutexReach reach) noexcept {
  syscall(SYS_futex, word, with(FUTEX_WAKE, reach), count, nullptr, nullptr, 0);
}

}  // namespace eventspace
