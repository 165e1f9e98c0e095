#pragma once

// Private to scopes/.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "paths/views/view.h"
#include "scopes/tree/observed_event.h"
#include "scopes/tree/view_events.h"
#include "scopes/wrappers/record_processes.h"

namespace eventspace::metrics {

/// Converts times of one process after the other to the clock of the observer: along the line through two
/// times that its report converts. Not thread-safe.
class EndTimes {
 public:
  std::int64_t of(const ProcessReport& process, std::uint64_t end) noexcept {
    if (&process != process_) use(process);
    const double since = static_cast<double>(static_cast<std::int64_t>(end - now_ticks_)) * ns_per_tick_;
    return base_ns_ + static_cast<std::int64_t>(since + (since < 0.0 ? -0.5 : 0.5));
  }

 private:
  void use(const ProcessReport& process) noexcept;

  const ProcessReport* process_{nullptr};
  std::uint64_t now_ticks_{0};
  std::int64_t base_ns_{0};
  double ns_per_tick_{1.0};
};

/// The ended events of views. Not thread-safe.
class TimedEvents {
 public:
  struct Event {
    std::int64_t end_ns{0};  ///< by CLOCK_MONOTONIC of the process that holds the view
    const TraceTuple* last{nullptr};
    std::size_t size{0};
    const ProcessReport* process{nullptr};

    [[nodiscard]] ObservedEvent observed() const noexcept {
      return {*last, process, {last + 1 - size, size - 1}};
    }
  };

  /// `names` must outlive it.
  explicit TimedEvents(const PlanNames& names) noexcept : processes_(names) {}

  /// Calls `use` with the ended events of a view, in its order, for whose last record `needs` is true. Most
  /// events are of no use to most metrics, so that is asked first.
  template <class Needs, class Use>
  void for_each(const View& view, const Needs& needs, const Use& use) {
    processes_.learn(view);
    EndTimes times;
    std::span<const TraceTuple> records(view.records);
    while (!records.empty()) {
      // The bits of word 3 that are the part: nearly all events are one record.
      const bool is_one = (records.front().words[3] >> 8 & 0xf) == 0;
      const std::size_t size = is_one ? 1 : first_event(records).size();
      const TraceTuple& last = records[size - 1];
      records = records.subspan(size);
      const bool is_part = (last.words[3] >> 8 & 0xf) != 0;  // its event is in a later view
      if (is_part || last.words[4] == 0 || !needs(last)) continue;
      const ProcessReport* const process = processes_.of(header_of(last));
      if (process != nullptr) use(Event{times.of(*process, last.words[4]), &last, size, process});
    }
  }

  /// The same, those of each process in the order of their ends. Of different processes, the order does not
  /// matter. The view must not change while they are used; they are valid until the next call.
  template <class Needs>
  std::span<const Event> in_order(const View& view, const Needs& needs) {
    events_.clear();
    for_each(view, needs, [this](const Event& event) { events_.push_back(event); });
    sort();
    return events_;
  }

 private:
  void sort();

  RecordProcesses processes_;
  std::vector<Event> events_;
};

}  // namespace eventspace::metrics
