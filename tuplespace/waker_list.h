#pragma once

#include <vector>

#include "tuplespace/operation.h"

namespace eventspace {

/// Wakers registered for one wake-up, each once. Not thread-safe: whoever owns the list locks it.
class WakerList {
 public:
  void add(Waker& waker);
  void remove(const Waker& waker) noexcept;
  [[nodiscard]] bool empty() const noexcept { return wakers_.empty(); }
  /// Wakes and forgets all of them.
  void wake_all() noexcept;

 private:
  std::vector<Waker*> wakers_;
};

}  // namespace eventspace
