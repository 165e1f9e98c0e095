#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

#include "paths/views/view.h"
#include "scopes/metrics/events/timed_events.h"

namespace eventspace::metrics {

/// Puts the events of each process in the order of their ends, over several views. A view may have events
/// that ended later than others which only the next view has (ProcessReport::complete_ticks); they wait for
/// that view. Samples at the passages of probes are right only in this order.
///
/// At most a given number of records wait. If more would wait, all waiting events of the process with the
/// most are released at once and marked, as are later ones that ended before them
/// (TimedEvents::Event::is_late). The waiting events of a process are also released if the next view does not
/// report the process. Not thread-safe.
class EventsInOrder {
 public:
  static constexpr std::size_t max_waiting = 65'536;  ///< 4 MiB

  explicit EventsInOrder(std::size_t most = max_waiting) : most_(most) {}

  /// Takes the ended events of a view, and leaves in `events` the ones that are complete now, in their order.
  /// They are valid until the next call, as long as the view is.
  void take(const View& view, std::vector<TimedEvents::Event>& events);

 private:
  using Run = std::tuple<std::uint32_t, std::int32_t, std::uint64_t>;  // process, id, start
  struct Waiting {
    ProcessReport report{};
    std::vector<TraceTuple> records{};
    std::uint64_t late_until{0};  // when the last event ended that was released too early; 0: none
  };
  static Run run_of(const ProcessReport& report) noexcept {
    return {report.process, report.pid, report.start_ticks};
  }
  static bool is_complete(const TimedEvents::Event& event) noexcept {
    return event.last->words[4] <= event.process->complete_ticks;
  }

  /// Puts the waiting events in front of the others.
  void go_on(const View& view, std::vector<TimedEvents::Event>& events);
  /// Releases the events of the processes with most events early, until there is room for the others.
  void make_room(const std::vector<TimedEvents::Event>& events);
  /// Whether the event has to wait.
  bool waits(const TimedEvents::Event& event);

  std::size_t most_;
  std::map<Run, Waiting> waiting_;
  std::deque<Waiting> gone_on_;  // events of the last call refer to them
};

}  // namespace eventspace::metrics
