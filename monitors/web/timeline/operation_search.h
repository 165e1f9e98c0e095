#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "monitors/text/json.h"
#include "monitors/web/timeline/loaded_timeline.h"
#include "scopes/tree/observed_event.h"

namespace eventspace::web {

/// Finds operations in a recording again: by their records, or by a condition. Reads chunks of the file.
/// Used by one thread.
class OperationSearch {
 public:
  explicit OperationSearch(SharedTimeline timeline);

  struct Found {
    std::uint32_t row{0};
    StoredOperation operation{};
  };
  [[nodiscard]] const LoadedTimeline& timeline() const noexcept { return *timeline_; }
  /// The operation with this record; nullopt if the store does not keep it.
  [[nodiscard]] std::optional<Found> find(const RecordPlace& place);
  /// All fields of that operation, as [{"name": ..., "value": ..., "unit": "ns"?}]; nullopt if its record
  /// cannot be found.
  [[nodiscard]] std::optional<Json> fields(const RecordPlace& place);

  /// The first operation that begins after `after` and for which `condition` (docs/expressions.md) holds.
  /// Calls `goes_on` with the time up to which all were searched, and returns nullopt when that returns
  /// false, or if there is none. Throws ExpressionError.
  using GoesOn = std::function<bool(std::int64_t reached)>;
  std::optional<Found> next(const std::string& condition, std::int64_t after, const GoesOn& goes_on);

 private:
  using Source = std::pair<std::uint32_t, std::uint16_t>;  // path and point
  void index_rows();
  const std::vector<std::uint32_t>& by_sequence(std::uint32_t row);
  template <class Use>
  bool for_each_event_of(std::size_t chunk, Use use) const;
  [[nodiscard]] bool may_have(std::size_t chunk, const Found& found) const;
  [[nodiscard]] std::optional<Json> fields_in(std::size_t chunk, const RecordPlace& place) const;

  SharedTimeline timeline_;
  std::map<Source, std::vector<std::uint32_t>> rows_;                // that have operations of a source
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_sequence_;  // by row: operations by sequence
};

}  // namespace eventspace::web
