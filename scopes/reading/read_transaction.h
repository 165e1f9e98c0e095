#pragma once

#include <cstdint>

#include "paths/views/view.h"

namespace eventspace {

/// Determines for a stage that keeps read positions whether its last view arrived. A view can be lost on its
/// way to the consumer, so its positions count only after the next pull has confirmed it with Pull::after:
///
///     pull 1 --> view 1 arrives --> pull 2 (after 1): continues after view 1
///     pull 1 --> view 1 is lost --> pull 2 (after 0): reads again, as if pull 1 had not happened
///
/// Not thread-safe.
class ReadTransaction {
 public:
  /// Begins the next pull. Returns whether the view of the previous pull arrived.
  [[nodiscard]] bool begin(const Pull& pull) noexcept {
    const bool arrived = pull.after == pull_;
    pull_ = pull.id;
    return arrived;
  }
  /// The number of the last pull begun; 0 before the first.
  [[nodiscard]] std::uint64_t pull() const noexcept { return pull_; }

 private:
  std::uint64_t pull_{0};
};

/// A value that changes with a ReadTransaction. Each view may send a new value; settle() commits the value
/// sent last if its view arrived, or returns to the committed value. Not thread-safe.
template <class T>
struct Transacted {
  T committed{};  ///< sent with the last view that arrived
  T sent{};       ///< sent with the last view

  void settle(bool arrived) {
    if (arrived) {
      committed = sent;
    } else {
      sent = committed;
    }
  }
};

}  // namespace eventspace
