#pragma once

// Private to tuplespace/.

#include <atomic>
#include <cstdint>

#include "tuplespace/system/deadline.h"

namespace eventspace {

/// Where one thread sleeps until another one wakes it, once. Cheaper than a condition variable: no lock on
/// either side, and no system call when the waking comes within the short time that the sleeper looks out
/// for it. What was done before unpark() is visible after park().
///
///     awake --park--> asleep --unpark--> unparked
///     awake --------unpark-------------> unparked
///
/// unpark() does not touch the object once the sleeper can have seen it, so the sleeper may destroy it at
/// once; the kernel is then told to wake an address where nobody, or somebody who checks again, sleeps.
class Parker {
 public:
  Parker() = default;
  Parker(const Parker&) = delete;
  Parker& operator=(const Parker&) = delete;

  /// From another thread, once.
  void unpark() noexcept;
  /// Sleeps until unpark(), or not at all when that was before.
  void park() noexcept;
  /// As park, until `deadline` at the longest; false when it passed first. May be called again then.
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
