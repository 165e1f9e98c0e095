#pragma once

// Private to scopes/.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "paths/views/view.h"
#include "scopes/metrics/evaluation/event_condition.h"
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
  /// events are of no use to most metrics, so that is asked first; it must be the same for all events of a
  /// class. Before, it calls `take_run` with an event and the records behind it that are events of the same
  /// class and trace element, none of which began before it (a run): if that is true, they are done.
  template <class Needs, class TakeRun, class Use>
  void for_each(const View& view, const Needs& needs, const TakeRun& take_run, const Use& use) {
    processes_.learn(view);
    const bool has_runs = processes_.has_one_run_each();
    EndTimes times;
    std::uint64_t skipped = class_bits + 1;  // a class that is not needed
    std::span<const TraceTuple> records(view.records);
    while (!records.empty()) {
      if ((records.front().words[3] & class_bits) == skipped) {
        records = records.subspan(1);
        continue;
      }
      // The bits of word 3 that are the part: nearly all events are one record.
      const bool is_one = (records.front().words[3] >> 8 & 0xf) == 0;
      const std::size_t size = is_one ? 1 : first_event(records).size();
      const TraceTuple& last = records[size - 1];
      const auto rest = std::exchange(records, records.subspan(size));
      const bool is_part = (last.words[3] >> 8 & 0xf) != 0;  // its event is in a later view
      if (is_part || last.words[4] == 0) continue;
      if (!needs(last)) {
        if (is_one) skipped = last.words[3] & class_bits;
        continue;
      }
      const ProcessReport* const process = processes_.of(header_of(last));
      if (process == nullptr) continue;
      const Event event{times.of(*process, last.words[4]), &last, size, process};
      const auto run = is_one && has_runs ? run_of(rest) : std::span<const TraceTuple>();
      if (!run.empty() && take_run(event, run))
        records = rest.subspan(run.size());
      else
        use(event);
    }
  }

  /// The same, those of each process in the order of their ends. Of different processes, the order does not
  /// matter. The view must not change while they are used; they are valid until the next call.
  template <class Needs, class TakeRun>
  std::span<const Event> in_order(const View& view, const Needs& needs, const TakeRun& take_run) {
    events_.clear();
    for_each(view, needs, take_run, [this](const Event& event) { events_.push_back(event); });
    sort();
    return events_;
  }
  /// The same without runs.
  template <class Needs>
  std::span<const Event> in_order(const View& view, const Needs& needs) {
    return in_order(view, needs, [](const Event&, std::span<const TraceTuple>) { return false; });
  }

 private:
  /// Not longer than what stays in the cache, because it is read again.
  static std::span<const TraceTuple> run_of(std::span<const TraceTuple> records) noexcept {
    constexpr std::size_t most = 256;
    const TraceTuple& first = records.front();
    std::size_t size = 1;
    for (; size < std::min(records.size(), most); ++size) {
      const TraceTuple& next = records[size];
      if (next.words[2] != first.words[2] || ((next.words[3] ^ first.words[3]) & class_bits) != 0 ||
          next.words[4] == 0 || next.words[1] < first.words[1])
        break;
    }
    return records.first(size);
  }

  void sort();

  RecordProcesses processes_;
  std::vector<Event> events_;
};

}  // namespace eventspace::metrics
