#pragma once

#include <atomic>
#include <cstdint>

#include <eventspace/deadline.h>

namespace eventspace {

/// Lets one thread sleep until another thread wakes it, once. Cheaper than a condition variable: neither side
/// takes a lock, and there is no system call if the wake-up comes while the sleeper still polls (look_out.h).
/// Whatever a thread did before unpark() is visible after park().
///
///     awake --park--> asleep --unpark--> unparked
///     awake --------unpark-------------> unparked
///
/// unpark() does not access the object once the sleeper can have seen the new state, so the sleeper may
/// destroy it at once. The kernel then gets a stale address to wake: a thread that sleeps there on another
/// word wakes up and checks its word again.
class Parker {
 public:
  Parker() = default;
  Parker(const Parker&) = delete;
  Parker& operator=(const Parker&) = delete;

  /// Call once, by another thread.
  void unpark() noexcept;
  /// Blocks until unpark(); returns at once if that came first.
  void park() noexcept;
  /// Like park(), but blocks at most until `deadline`. Returns false if the deadline passed first; the thread
  /// may then park again.
  [[nodiscard]] bool park_until(Deadline deadline) noexcept;

 private:
  enum State : std::uint32_t { awake, asleep, unparked };

  [[nodiscard]] bool is_unparked() const noexcept {
    return state_.load(std::memory_order_acquire) == unparked;
  }
  [[nodiscard]] bool unparked_soon() const noexcept;
  [[nodiscard]] bool fall_asleep() noexcept;

  std::atomic<std::uint32_t> state_{awake};
};

}  // namespace eventspace
