#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "monitors/web/timeline/operation_class.h"

namespace eventspace::web {

/// The time that one row of a timeline spends in each class of operation, and the number of operations that
/// begin, in bins of equal width. An operation inside another takes its time from the outer one, so the times
/// of a bin are at most its width. Keeps only bins with operations. Not thread-safe.
class ClassTimes {
 public:
  struct Entry {
    std::uint32_t bin{0};
    OperationClass of{OperationClass::other};
    std::uint32_t begun{0};  ///< operations
    std::int64_t ns{0};
  };

  /// `width_ns`: of a bin.
  explicit ClassTimes(std::int64_t width_ns) : width_ns_(width_ns) {}

  /// Adds the time from `begin` to `end`, which are at least 0, and `begun` operations that begin at `begin`.
  void add(OperationClass of, std::int64_t begin, std::int64_t end, std::uint32_t begun = 1) {
    change(of, begin, end, 1, begun);
  }
  /// Takes the same time from the class of the operation around it.
  void take(OperationClass of, std::int64_t begin, std::int64_t end) { change(of, begin, end, -1, 0); }
  /// Doubles the width of the bins.
  void coarsen();
  /// Adds up the entries of each bin. To be called before entries().
  void settle();

  [[nodiscard]] std::int64_t width_ns() const noexcept { return width_ns_; }
  /// In order of bins, then of classes.
  [[nodiscard]] std::span<const Entry> entries() const noexcept { return entries_; }
  /// The entries of the bins from `first` to before `last`.
  [[nodiscard]] std::span<const Entry> entries(std::int64_t first, std::int64_t last) const;
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

 private:
  void change(OperationClass of, std::int64_t begin, std::int64_t end, int sign, std::uint32_t begun);

  std::int64_t width_ns_;
  std::vector<Entry> entries_;
  std::size_t settled_{0};  // the size after the last settle()
};

}  // namespace eventspace::web
