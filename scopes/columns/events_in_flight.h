#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "paths/views/view.h"

namespace eventspace {

/// Chooses from views of the newest events those in flight that a monitor has not shown. An event in flight
/// is in each view until it ends, and is shown once. Pure. Not thread-safe.
class EventsInFlight {
 public:
  /// Returns the events in flight of `newest`, each after its continuation records, in order of begin, except
  /// events that an earlier call has returned.
  std::vector<TraceTuple> take(const View& newest);
  /// Removes the events that have ended since, according to `ended`: records of unread events that were
  /// pulled later.
  static void drop_ended(std::vector<TraceTuple>& events, std::span<const TraceTuple> ended);

  /// The number of events that it remembers: those shown and, as far as known, still in flight.
  [[nodiscard]] std::size_t size() const noexcept { return shown_.size(); }

 private:
  // Thread, path, point, start.
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint16_t, std::uint64_t>;
  static Key key_of(const TraceTuple& record);
  void forget_replaced(const View& newest);

  std::set<Key> shown_;  // and still in flight
};

}  // namespace eventspace
