#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "collectors/event_record.h"
#include "paths/views/view.h"
#include "scopes/tree/plan_names.h"

namespace eventspace::top {

/// Computes the events a second of each trace element from views of the newest event of each. The sequence
/// numbers count all events, so the rates are exact however rarely views are pulled and however few events
/// are kept. Time is read from the recording process's own clock. Does no I/O; remembers the previous views.
/// Not thread-safe.
///
/// Rates are unknown in the first view, and in the first view of a restarted process. A trace element that a
/// view lacks keeps its rate; its next rate covers all the time since it was last seen.
class EventRates {
 public:
  struct Rate {
    std::uint64_t events{0};           ///< since the process started
    std::optional<double> per_second;  ///< since the previous view
  };

  /// `names` must outlive it.
  explicit EventRates(const PlanNames& names) noexcept : names_(&names) {}

  void observe(const View& view);
  /// The rate of the trace element at `point` of `path`.
  [[nodiscard]] Rate of(std::uint32_t path, std::uint16_t point) const;

 private:
  struct Run {
    std::int32_t pid{0};
    std::uint64_t start_ticks{0};
    friend bool operator==(const Run&, const Run&) = default;
  };
  struct Seen {
    Run run;
    std::uint64_t ticks{0};
  };
  struct Process {
    Seen now;
    std::optional<Seen> before;
    ClockCalibration clock;
  };
  struct Trace {
    Seen seen;
    Rate rate;
  };
  void count(const EventRecord& record, const Process& process);

  const PlanNames* names_;
  std::unordered_map<std::uint32_t, Process> processes_;
  std::unordered_map<std::uint64_t, Trace> traces_;  // by path and point
};

}  // namespace eventspace::top
