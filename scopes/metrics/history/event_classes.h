#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "scopes/metrics/history/event_counter.h"

namespace eventspace::metrics {

/// The place of a whole number in the records of a class. Plain data.
struct WholeField {
  std::uint8_t word{0};
  std::uint8_t shift{0};
  std::uint64_t mask{0};  ///< 0 means that the records do not have it, or that it is not needed

  [[nodiscard]] std::uint64_t of(const TraceTuple& record) const noexcept {
    return record.words[word] >> shift & mask;
  }
};
/// The fields of the events of a class that are summed. Plain data.
struct SummedFields {
  WholeField bytes{};
  WholeField calls{};  ///< empty: each event is one call
};

/// The classes of events that the counters of a definition need, so that a condition over a class is
/// evaluated once for all its events.
///
/// 1. What is known of a class depends only on the bits of the class (class_bits). It is found out at the
///    first record of the class, and again if another class took its place in the table.
/// 2. Counters whose condition needs more than the class (of_no_class) are in no class, and no class is plain
///    if there are any.
///
/// Not thread-safe.
class EventClasses {
 public:
  /// `counters` must outlive it and keep its entries. `has_samplers`: passages of probes are needed, too.
  EventClasses(const std::vector<EventCounter>& counters, bool has_samplers);

  /// The class of a record. The reference is valid until the next call.
  [[nodiscard]] const EventClass& of(const TraceTuple& record) {
    const std::uint32_t bits = class_of(record) + 1;
    EventClass& known = classes_[place_of_class(bits, classes_.size())];
    if (known.of != bits) learn(known, record);
    return known;
  }
  /// Whether events of the class of a record can be summed: the class is plain, only the number and bytes of
  /// its events are needed, and records have these as whole numbers. Returns their places in the record.
  [[nodiscard]] std::optional<SummedFields> summed_up(const TraceTuple& record);

  /// The counters whose condition needs more than the class of an event.
  [[nodiscard]] const std::vector<std::uint32_t>& of_no_class() const noexcept { return of_no_class_; }
  /// Whether a counter counts by region.
  [[nodiscard]] bool has_regions() const noexcept { return has_regions_; }

 private:
  void learn(EventClass& known, const TraceTuple& record) const;

  const std::vector<EventCounter>& counters_;
  bool has_samplers_;
  bool has_regions_;
  std::vector<std::uint32_t> of_no_class_;
  std::array<EventClass, 64> classes_{};
};

}  // namespace eventspace::metrics
