#pragma once

// Private to paths/.
// Also used by scopes/, between the stages of one process.

#include <cstdint>

#include "tuplespace/operation.h"

namespace eventspace {

/// Numbers the operations that a stage makes of a child on behalf of its parent's, and tells the child which
/// results have arrived. The child's operations have numbers of their own, as there may be fewer of them than
/// of the parent's: operation k of the parent is answered with the result of the child's operation j. When
/// the parent says that the result of k did not arrive, the child must hear that j's did not either; and when
/// j never came back, the next operation says so by naming the one before it. Not thread-safe.
class HopNumbers {
 public:
  /// To be called for each of the parent's operations. Yields whether the parent confirms a result that was
  /// not confirmed before.
  bool settle(const OperationBody& parent) noexcept {
    if (newest_.parent != parent.after || confirmed_ == newest_.own) return false;
    confirmed_ = newest_.own;
    return true;
  }
  /// The number of the child's next operation, and what it confirms.
  OperationBody next() noexcept { return {++last_, confirmed_}; }
  [[nodiscard]] OperationBody last() const noexcept { return {last_, confirmed_}; }
  /// The result of the child's last operation is in that of the parent's operation number `parent`.
  void answered(std::uint64_t parent) noexcept { newest_ = {parent, last_}; }

 private:
  struct Delivered {
    std::uint64_t parent{0};
    std::uint64_t own{0};
  };
  std::uint64_t last_{0};
  Delivered newest_;
  std::uint64_t confirmed_{0};  // the child's last operation whose result is known to have arrived
};

}  // namespace eventspace
