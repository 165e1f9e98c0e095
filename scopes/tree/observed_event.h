#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "collectors/record_header.h"
#include "paths/views/view.h"

namespace eventspace {

/// An event of any kind: its record, and the view's report of the process that recorded it, whose clock
/// converts the record's ticks. `process` is null if the view does not report that process; the event then
/// does not have times. `process` is not owned. Plain data.
struct ObservedEvent {
  TraceTuple record;
  const ProcessReport* process{nullptr};
  /// The continuation records of the event, in the order in which they were recorded; not owned.
  std::span<const TraceTuple> continuations{};

  [[nodiscard]] RecordHeader header() const noexcept { return header_of(record); }
  [[nodiscard]] bool in_flight() const noexcept { return end() == 0; }
  [[nodiscard]] std::uint64_t start() const noexcept { return record.words[1]; }
  [[nodiscard]] std::uint64_t end() const noexcept { return record.words[4]; }

  /// Nanoseconds from start to end; nothing for an operation in flight.
  [[nodiscard]] std::optional<double> duration_ns() const noexcept {
    if (process == nullptr || in_flight()) return std::nullopt;
    return process->clock.ns_between(start(), end());
  }
  /// Nanoseconds from the start, or the end, to the pull, by the process's own clock; at least 0.
  [[nodiscard]] std::optional<double> ns_since_start() const noexcept { return ns_since(start()); }
  [[nodiscard]] std::optional<double> ns_since_end() const noexcept {
    if (in_flight()) return std::nullopt;
    return ns_since(end());
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
