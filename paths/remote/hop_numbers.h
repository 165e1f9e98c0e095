#pragma once

// Also used by scopes/, between the stages of one process.

#include <cstdint>

#include <eventspace/operation.h>

namespace eventspace {

/// Numbers the operations that a stage sends to a child on behalf of its parent, and reports to the child
/// which results have arrived. The child's operations are numbered separately, because there may be fewer of
/// them: the parent's operation k is answered with the result of the child's operation j. If the parent
/// reports that the result of k did not arrive, the stage reports to the child that the result of j did not;
/// if the result of j never reached the stage, the child's next operation reports that by confirming only the
/// operation before j. Not thread-safe.
class HopNumbers {
 public:
  /// Called for each of the parent's operations. Returns whether the parent confirms a result that it had not
  /// confirmed before.
  bool settle(const OperationBody& parent) noexcept {
    if (newest_.parent != parent.after || confirmed_ == newest_.own) return false;
    confirmed_ = newest_.own;
    return true;
  }
  /// The numbers for the child's next operation: its own, and the number of the last confirmed operation.
  OperationBody next() noexcept { return {++last_, confirmed_}; }
  [[nodiscard]] OperationBody last() const noexcept { return {last_, confirmed_}; }
  /// Records that the result of the child's last operation is part of the result of the parent's operation
  /// `parent`.
  void answered(std::uint64_t parent) noexcept { newest_ = {parent, last_}; }

 private:
  struct Delivered {
    std::uint64_t parent{0};
    std::uint64_t own{0};
  };
  std::uint64_t last_{0};
  Delivered newest_;
  std::uint64_t confirmed_{0};  // the child's last operation whose result arrived at the parent
};

}  // namespace eventspace
