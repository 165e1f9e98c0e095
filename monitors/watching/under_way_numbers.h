#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "collectors/event_record.h"
#include "paths/views/view.h"

namespace eventspace {

/// Finds the number of the collective operation that a record in progress belongs to. Only ended records
/// contain that number, so it is derived from the newest ended record of the same trace element. Pure.
class UnderWayNumbers {
 public:
  /// `newest`: a view of the newest events.
  explicit UnderWayNumbers(const View& newest);

  /// Whether the view has an ended record of the same trace element.
  [[nodiscard]] bool has_ended_one(const EventRecord& under_way) const;
  /// The number of the ended record plus the difference of the two sequence numbers, because more operations
  /// may have begun while the two were read. Nullopt if there is not an ended record, if it lacks a number,
  /// or if it is newer (of another run).
  [[nodiscard]] std::optional<std::uint64_t> of(const EventRecord& under_way) const;

 private:
  struct Ended {
    std::uint64_t sequence{0};
    std::uint64_t number{0};
  };
  using TraceElement = std::pair<std::uint32_t, std::uint16_t>;  // path and point
  std::map<TraceElement, Ended> ended_;
};

}  // namespace eventspace
