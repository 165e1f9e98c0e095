#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "collectors/kinds/event_kinds.h"
#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// An order of records by a field of the vocabulary. Records that lack the field come last, in descending
/// order too, such as those in flight in an order by end or duration.
class RecordOrder {
 public:
  /// `field` must have EventField::orders. Throws ConfigurationError otherwise.
  RecordOrder(std::string_view field = "end",
              bool descending = false);  // NOLINT(google-explicit-constructor)

  /// Records with a smaller rank come first.
  [[nodiscard]] std::uint64_t rank(const TraceTuple& record) const noexcept;

 private:
  [[nodiscard]] std::uint64_t ascending_rank(const TraceTuple& record) const noexcept;

  FieldId field_;
  FieldSource source_;
  bool descending_;
};

/// Sorts `records` stably. Returns the number of runs (sequences already in order) that they consisted of. A
/// single run costs one comparison per record. n records in k runs, such as the joined views of k ordered
/// children, are merged in O(n log k); runs of a few records each are sorted in O(n log n).
std::size_t put_in_order(std::vector<TraceTuple>& records, const RecordOrder& order);

}  // namespace eventspace
