#pragma once

// Private to monitors/.

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "collectors/event_record.h"
#include "paths/views/view.h"
#include "scopes/tree/plan_names.h"

namespace eventspace::top {

/// Events a second of each trace element, from views of the newest event of each. That event's sequence
/// number says how many there were, so the rates are true however seldom one looks and however few events are
/// kept; time is that of the recording process's own clock. Pure but for the memory of the views before.
///
/// Not known are: the first view, and the first of a process that started anew. What a view lacks is as it
/// was, and its rate is that of the time until it is seen again.
class EventRates {
 public:
  struct Rate {
    std::uint64_t events{0};           ///< since the process started
    std::optional<double> per_second;  ///< since the view before
  };

  /// `names` must outlive it.
  explicit EventRates(const PlanNames& names) noexcept : names_(&names) {}

  void observe(const View& view);
  /// Of a trace element, by its path and point.
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
