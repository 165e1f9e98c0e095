#pragma once

// Private to paths/.

#include <cstdint>

#include "paths/views/view.h"

namespace eventspace {

/// The pulls that a stage makes of a child on behalf of its parent's. They have numbers of their own, as
/// there may be fewer of them than of the parent's: pull k of the parent is answered with the view of the
/// child's pull j. When the parent says that k did not arrive, the child must hear that j did not either; and
/// when j never came back, the next pull says so by naming the one before it. Not thread-safe.
class PullNumbers {
 public:
  /// To be told of each of the parent's pulls. Whether it says that a view arrived of which that was not
  /// known.
  bool settle(const Pull& parent) noexcept {
    if (newest_.parent != parent.after || confirmed_ == newest_.own) return false;
    confirmed_ = newest_.own;
    return true;
  }
  /// The number of the next pull of the child; Pull::after of that is confirmed().
  std::uint64_t next() noexcept { return ++last_; }
  /// The next pull of the child, with what `parent` wants to see.
  [[nodiscard]] Pull next_for(const Pull& parent) {
    Pull pull;
    pull.id = next();
    pull.after = confirmed();
    pull.with_threads = parent.with_threads;
    pull.look_back = parent.look_back;
    return pull;
  }
  [[nodiscard]] std::uint64_t last() const noexcept { return last_; }
  [[nodiscard]] std::uint64_t confirmed() const noexcept { return confirmed_; }
  /// The child's view of its last pull is part of the parent's pull number `parent`.
  void answered(std::uint64_t parent) noexcept { newest_ = {parent, last_}; }

 private:
  struct Delivered {
    std::uint64_t parent{0};
    std::uint64_t own{0};
  };
  std::uint64_t last_{0};
  Delivered newest_;
  std::uint64_t confirmed_{
      0};  // the last pull of the child whose view is known to have arrived at the parent
};

}  // namespace eventspace
