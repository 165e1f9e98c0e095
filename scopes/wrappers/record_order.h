#pragma once

// Private to scopes/.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// What orders records. Operations in flight come last, also in descending order, but for `start` and
/// `thread`.
struct RecordOrder {
  enum class By : std::uint8_t { start, end, duration, thread };
  By by{By::end};
  bool descending{false};

  /// Less for what comes first.
  [[nodiscard]] std::uint64_t rank(const TraceTuple& record) const noexcept;
};

/// Puts `records` in order; those of equal rank stay as they stand to each other. Says how many runs that
/// were in order already they consisted of. One run is left alone; n records in k runs, as the views of k
/// children that are in order make them, are merged in O(n log k); with runs of a few records each it is O(n
/// log n).
std::size_t put_in_order(std::vector<TraceTuple>& records, const RecordOrder& order);

}  // namespace eventspace
