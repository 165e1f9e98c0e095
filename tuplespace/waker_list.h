#pragma once

#include <vector>

#include <eventspace/operation.h>

namespace eventspace {

/// Wakers that are registered for one call each. A waker is in the list at most once; the list does not own
/// it. Not thread-safe: the owner of the list locks it.
class WakerList {
 public:
  void add(Waker& waker);
  void remove(const Waker& waker) noexcept;
  [[nodiscard]] bool empty() const noexcept { return wakers_.empty(); }
  /// Calls and removes every waker.
  void wake_all() noexcept;

 private:
  std::vector<Waker*> wakers_;
};

}  // namespace eventspace
