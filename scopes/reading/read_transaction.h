#pragma once

// Private to scopes/.

#include <cstdint>

#include "paths/views/view.h"

namespace eventspace {

/// Tells a stage that keeps read positions whether its last view arrived. A view may be lost on its way up,
/// so that what it told counts only once the next pull says, with Pull::after, that it is there:
///
///     pull 1 --> view 1 arrives --> pull 2 (after 1): view 1 counts, pull 2 goes on behind it
///     pull 1 --> view 1 is lost --> pull 2 (after 0): as if pull 1 had never been
///
/// Not thread-safe.
class ReadTransaction {
 public:
  /// Begins the next pull. True: the view of the pull before it arrived.
  [[nodiscard]] bool begin(const Pull& pull) noexcept {
    const bool arrived = pull.after == pull_;
    pull_ = pull.id;
    return arrived;
  }
  /// The number of the pull that was begun last; 0 before the first.
  [[nodiscard]] std::uint64_t pull() const noexcept { return pull_; }

 private:
  std::uint64_t pull_{0};
};

/// A value that moves with a ReadTransaction: each view may send a new one, and settle() keeps it or goes
/// back to the last that arrived. Not thread-safe.
template <class T>
struct Transacted {
  T committed{};  ///< by the last view that arrived
  T sent{};       ///< by the last view

  void settle(bool arrived) {
    if (arrived) {
      committed = sent;
    } else {
      sent = committed;
    }
  }
};

}  // namespace eventspace
