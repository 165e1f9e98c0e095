#pragma once

#include <algorithm>
#include <optional>

#include "collectors/event_record.h"
#include "paths/views/view.h"

namespace eventspace {

/// A record, and the process that recorded it as the view reports that; null when it is not known: then the
/// record's ticks mean nothing, and there are no times.
struct ObservedEvent {
  EventRecord record;
  const ProcessReport* process{nullptr};

  /// Nanoseconds from start to end; nothing while it is in flight.
  [[nodiscard]] std::optional<double> duration_ns() const noexcept {
    if (process == nullptr || record.in_flight()) return std::nullopt;
    return process->clock.ns_between(record.start, record.end);
  }
  /// Nanoseconds from its start, or its end, to the pull, by the process's own clock.
  [[nodiscard]] std::optional<double> ns_since_start() const noexcept { return ns_since(record.start); }
  [[nodiscard]] std::optional<double> ns_since_end() const noexcept {
    if (record.in_flight()) return std::nullopt;
    return ns_since(record.end);
  }

 private:
  // An event of one branch can be later than the moment at which another branch read the clock.
  [[nodiscard]] std::optional<double> ns_since(std::uint64_t ticks) const noexcept {
    if (process == nullptr) return std::nullopt;
    return std::max(process->clock.ns_between(ticks, process->now_ticks), 0.0);
  }
};

}  // namespace eventspace
