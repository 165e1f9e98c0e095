#pragma once

#include <algorithm>
#include <optional>

#include "collectors/event_record.h"
#include "paths/views/view.h"

namespace eventspace {

/// A record together with the view's report of the process that recorded it, whose clock gives the record's
/// ticks a meaning. `process` is null if the view does not report that process; the record then has no times.
/// `process` is not owned. Plain data.
struct ObservedEvent {
  EventRecord record;
  const ProcessReport* process{nullptr};

  /// Nanoseconds from start to end; none for an operation in flight.
  [[nodiscard]] std::optional<double> duration_ns() const noexcept {
    if (process == nullptr || record.in_flight()) return std::nullopt;
    return process->clock.ns_between(record.start, record.end);
  }
  /// Nanoseconds from the start, or the end, to the pull, by the process's own clock; at least 0.
  [[nodiscard]] std::optional<double> ns_since_start() const noexcept { return ns_since(record.start); }
  [[nodiscard]] std::optional<double> ns_since_end() const noexcept {
    if (record.in_flight()) return std::nullopt;
    return ns_since(record.end);
  }

 private:
  // Never negative: an event that one branch read can be later than the moment at which another branch read
  // the clock.
  [[nodiscard]] std::optional<double> ns_since(std::uint64_t ticks) const noexcept {
    if (process == nullptr) return std::nullopt;
    return std::max(process->clock.ns_between(ticks, process->now_ticks), 0.0);
  }
};

}  // namespace eventspace
