#pragma once

// Private to monitors/.

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "collectors/event_record.h"
#include "paths/views/view.h"

namespace eventspace {

/// Which operations of their collectives records under way are of. Such a record does not say so, as that is
/// known only once it has ended; the newest one of its trace element that has ended tells. Pure.
class UnderWayNumbers {
 public:
  /// `newest`: a view of the newest events.
  explicit UnderWayNumbers(const View& newest);

  /// Whether the view has one of the same trace element that has ended.
  [[nodiscard]] bool has_ended_one(const EventRecord& under_way) const;
  /// The number after that one's, or one of those that began while the two were read. Nothing when there is
  /// none, or it ended without a number, or another run's.
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
