#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "collectors/event_record.h"
#include "pathmaps/plan/plan.h"

namespace eventspace {

/// One row of events: an event, and, if it is an operation that was recorded at both ends of its path, also
/// its record at the element. Refers to records that belong to a view or to a PointPairs.
struct EventRow {
  std::span<const TraceTuple> records;  ///< the continuation records of the event, and then its own
  const TraceTuple* at_element{nullptr};
};

/// Whether `thread`, a record at the thread, and `element`, a record at the element, can be of the same
/// operation, by their times. True if the times cannot be compared.
using MayBeOne = std::function<bool(const RecordHeader& thread, const RecordHeader& element)>;

/// Finds the two records of each operation that event collectors at the thread and at the element have made.
/// Two records are of one operation when thread, path, verb and the number of the tuple
/// (EventRecord::parameter) are the same and their times allow it; of several such records the oldest is
/// taken, because both ends record in the same order. Pure. Not thread-safe.
///
/// The two ends are read one after the other, so a pull may have one record of an operation and the next pull
/// the other. A record of a path that the scope reads at both ends is therefore kept until the next view; it
/// becomes a separate row if the other record is missing there as well, for example because it was discarded.
class PointPairs {
 public:
  /// `both`: the paths whose ends a scope reads both (paths_read_at_both()).
  PointPairs(std::set<std::uint32_t> both, MayBeOne may_be_one)
      : both_(std::move(both)), may_be_one_(std::move(may_be_one)) {}

  /// The rows of a view, in the order of its records, after the kept records of the previous view that remain
  /// alone. An operation has the place of its first record. The rows are valid as long as the records, and
  /// until the next call.
  std::vector<EventRow> add(std::span<const TraceTuple> records);
  /// The rows that are still kept. Call it after the last view.
  std::vector<EventRow> rest();

 private:
  // Thread, path, verb, number of the tuple, whether it is in flight.
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint8_t, std::uint64_t, bool>;
  /// The rows of a view as they are made.
  struct Making {
    std::vector<EventRow> rows;
    // The places in `rows` of records whose partner has not come, by the point of the record; equal keys in
    // the order of the records.
    std::array<std::multimap<Key, std::size_t>, 2> waiting;
  };

  void place(const EventRow& row, Making& making) const;
  bool join(Making& making, const Key& key, const EventRow& row, std::uint16_t point) const;
  [[nodiscard]] std::set<std::size_t> to_keep(const Making& making, std::size_t old) const;

  std::set<std::uint32_t> both_;
  MayBeOne may_be_one_;
  std::vector<TraceTuple> kept_;       // each a separate row
  std::vector<TraceTuple> kept_then_;  // by the previous call, whose returned rows still refer to them
};

/// The paths of the plan whose trace elements at the thread and at the element a scope both reads, by number.
std::set<std::uint32_t> paths_read_at_both(const ScopeTree& tree, const Plan& plan);

}  // namespace eventspace
