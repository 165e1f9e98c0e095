#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "collectors/event_record.h"
#include "paths/views/view.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// Turns the ticks of records into time: keeps the newest clock of each process that a view reported. Pure.
class RecordClocks {
 public:
  /// `names` must outlive it. `realtime_here_ns`: this machine's CLOCK_REALTIME when its CLOCK_MONOTONIC was
  /// 0.
  RecordClocks(const PlanNames& names, std::int64_t realtime_here_ns) noexcept
      : names_(&names), realtime_here_ns_(realtime_here_ns) {}

  void learn(const View& view);
  /// When `record` began, in nanoseconds since 1970 on this machine's clock; nullopt until a view has
  /// reported its process and related the clock of that process to this machine's.
  [[nodiscard]] std::optional<BoundedTime> start_here(const RecordHeader& record) const {
    return start_here(record, process_of(record));
  }
  /// The same for a caller that knows the process: process_of(record).
  [[nodiscard]] std::optional<BoundedTime> start_here(const RecordHeader& record,
                                                      const ProcessReport* process) const;

  /// Whether the interval of `inner` can lie within that of `outer`, by the best clock that both share: their
  /// process's clock, or this machine's with the bounds of both. True if they do not share a clock. A record
  /// in flight is open-ended.
  [[nodiscard]] bool can_enclose(const RecordHeader& outer, const RecordHeader& inner) const;

  /// The newest report of the process that wrote `record`; null until a view has reported that process.
  [[nodiscard]] const ProcessReport* process_of(const RecordHeader& record) const;

 private:
  const PlanNames* names_;
  std::int64_t realtime_here_ns_;
  std::unordered_map<std::uint32_t, ProcessReport> processes_;
};

}  // namespace eventspace
