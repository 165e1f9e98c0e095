#pragma once

#include <atomic>
#include <cstdint>

#include <eventspace/operation.h>

namespace eventspace {

/// A lock in shared memory for the threads of all processes that map it. It survives its holder: when a
/// holder is killed, the next thread gets the lock with Outcome::orphaned. Whatever bytes a process writes
/// over it, other processes do not crash, because it does not contain pointers, only the kernel's id of the
/// holding thread. (The robust mutex of pthreads is not used, because it makes the holder follow pointers in
/// shared memory.)
///
///     free --lock--> held by thread T --unlock--> free
///                    held by thread T --T dies--> orphaned --lock--> held, Outcome::orphaned
///
/// While a thread holds the lock, it is registered with the kernel (the pending entry of the thread's robust
/// list, get_robust_list(2)); when the thread dies the kernel marks the lock as orphaned and wakes one
/// waiting thread. If the kernel does not, waiting threads detect within `suspicion` that the holder is gone.
///
/// Zero bytes are a free lock. A thread may hold only one such lock at a time, and must not use robust
/// mutexes of pthreads while it does. All processes that share the lock must be in one PID namespace.
class RobustLock {
 public:
  enum class Outcome : std::uint8_t {
    locked,
    orphaned,  ///< locked, but a holder died: a change of the guarded data may be incomplete
    timed_out  ///< not locked
  };

  /// How long a thread waits for a holder before it checks with the kernel whether the holder is alive.
  static constexpr std::chrono::milliseconds suspicion{100};

  /// Blocks at most until `deadline`, plus the time of polling (look_out.h).
  [[nodiscard]] Outcome lock(Deadline deadline) noexcept;
  void unlock() noexcept;

 private:
  struct Holder;
  static Holder& this_thread() noexcept;
  bool take(std::uint32_t seen, std::uint32_t wanted, Outcome& outcome) noexcept;
  Outcome wait(std::uint32_t self, Deadline deadline) noexcept;

  std::atomic<std::uint32_t> word_;  // a robust futex of the kernel: id of the holder, and two flags
};
static_assert(sizeof(RobustLock) == 4);

}  // namespace eventspace
