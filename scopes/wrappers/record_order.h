#pragma once

// Private to scopes/.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// An order of records. Operations in flight come last, in descending order too, except with By::start and
/// By::thread.
struct RecordOrder {
  enum class By : std::uint8_t { start, end, duration, thread };
  By by{By::end};
  bool descending{false};

  /// Records with a smaller rank come first.
  [[nodiscard]] std::uint64_t rank(const TraceTuple& record) const noexcept;
};

/// Sorts `records` stably. Returns the number of runs, sequences already in order, of which they consisted. A
/// single run costs one look at each record. n records in k runs, such as the joined views of k ordered
/// children, are merged in O(n log k); runs of a few records each are sorted in O(n log n).
std::size_t put_in_order(std::vector<TraceTuple>& records, const RecordOrder& order);

}  // namespace eventspace
