#pragma once

// Private to tuplespace/.

#include <atomic>
#include <cstdint>

#include "tuplespace/operation.h"

namespace eventspace {

/// A lock in shared memory for the threads of all processes that map it. It outlives whoever holds it: when a
/// holder is killed, the next one gets the lock and is told so. Whatever bytes somebody writes over it,
/// nobody crashes: it holds no pointer, only the kernel's id of its holder (hence not pthread's robust mutex,
/// whose holder follows pointers that lie in it).
///
///     free --lock--> held by thread T --unlock--> free
///                    held by thread T --T dies--> orphaned --lock--> held, Outcome::orphaned
///
/// While a thread holds it, the kernel knows (the pending entry of the thread's robust list,
/// get_robust_list(2)), marks it orphaned when the thread dies, and wakes one who waits. Where the kernel
/// does not, those who wait find out that the holder is gone, within `suspicion`.
///
/// Zero bytes are a free lock. A thread holds one at a time; pthread's robust mutexes must not be used
/// meanwhile. Processes that share it live in one PID namespace.
class RobustLock {
 public:
  enum class Outcome : std::uint8_t {
    locked,
    orphaned,  ///< locked as well, but a holder died: what it guards may be half done
    timed_out  ///< not locked
  };

  /// How long one waits for a holder before one asks the kernel whether it is alive.
  static constexpr std::chrono::milliseconds suspicion{100};

  /// Waits until `deadline` at the longest; a look-out (look_out.h) is not counted as waiting.
  [[nodiscard]] Outcome lock(Deadline deadline) noexcept;
  void unlock() noexcept;

 private:
  struct Holder;
  static Holder& this_thread() noexcept;
  bool take(std::uint32_t seen, std::uint32_t wanted, Outcome& outcome) noexcept;
  Outcome wait(std::uint32_t self, Deadline deadline) noexcept;

  std::atomic<std::uint32_t> word_;  // as the kernel's robust futexes: id of the holder, and two flags
};
static_assert(sizeof(RobustLock) == 4);

}  // namespace eventspace
