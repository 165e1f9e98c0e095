#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "paths/views/view.h"
#include "scopes/metrics/events/event_condition.h"
#include "scopes/tree/observed_event.h"
#include "scopes/tree/view_events.h"
#include "scopes/wrappers/record_processes.h"

namespace eventspace::metrics {

/// Converts times of one process after the other to the clock of the observer, along the line through two
/// times that the process's report converts. Not thread-safe.
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
    bool is_late{false};  ///< earlier events may follow (EventsInOrder): nothing is sampled at it

    /// The approximate time at which it began, by the same clock.
    [[nodiscard]] double began_ns() const noexcept {
      return static_cast<double>(end_ns) - process->clock.ns_between(last->words[1], last->words[4]);
    }
    /// Its records; the last one is the event's own.
    [[nodiscard]] std::span<const TraceTuple> records() const noexcept { return {last + 1 - size, size}; }
    [[nodiscard]] ObservedEvent observed() const noexcept {
      return {*last, process, {last + 1 - size, size - 1}};
    }
  };

  /// `names` must outlive it.
  explicit TimedEvents(const PlanNames& names) noexcept : processes_(names) {}

  /// Begins a view, which must not change while its records are used.
  void begin(const View& view) {
    processes_.learn(view);
    has_runs_ = processes_.has_one_run_each();
    times_ = {};
  }

  /// Calls `use` with the ended events of some records of the view, in their order. The records must end with
  /// the last record of an event. Most metrics do not need most events, or count many events together, so
  /// these functions are called first:
  ///
  /// - `add_up(records)`: how many records at the beginning belong to events that need no further handling.
  /// - `needs(record)`: whether an event is needed, by its last record. It must return the same for all
  ///   events of a class.
  /// - `take_run(event, run)`: whether this call handles a run: an event and the following ones of the same
  ///   class and trace element, which all began at the same time or later.
  template <class AddUp, class Needs, class TakeRun, class Use>
  void for_each(std::span<const TraceTuple> records, const AddUp& add_up, const Needs& needs,
                const TakeRun& take_run, const Use& use) {
    std::uint64_t skipped = class_bits + 1;  // a class that is not needed
    while (!records.empty()) {
      if ((records.front().words[3] & class_bits) == skipped) {
        records = records.subspan(1);
        continue;
      }
      if (const std::size_t done = add_up(records); done > 0) {
        records = records.subspan(done);
        continue;
      }
      // The part bits of word 3; nearly all events are one record.
      const bool is_one = (records.front().words[3] >> 8 & 0xf) == 0;
      const std::size_t size = is_one ? 1 : first_event(records).size();
      const TraceTuple& last = records[size - 1];
      const auto rest = std::exchange(records, records.subspan(size));
      const bool is_part = (last.words[3] >> 8 & 0xf) != 0;  // the rest of its event is in a later view
      if (is_part || last.words[4] == 0) continue;
      if (!needs(last)) {
        if (is_one) skipped = last.words[3] & class_bits;
        continue;
      }
      const ProcessReport* const process = processes_.of(header_of(last));
      if (process == nullptr) continue;
      const Event event{times_.of(*process, last.words[4]), &last, size, process, false};
      const auto run = is_one && has_runs_ ? run_of(rest) : std::span<const TraceTuple>();
      if (!run.empty() && take_run(event, run))
        records = rest.subspan(run.size());
      else
        use(event);
    }
  }

 private:
  /// Short enough to stay in the cache, because it is read again.
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

  RecordProcesses processes_;
  bool has_runs_{false};
  EndTimes times_;
};

/// Puts the events of each process in the order of their ends. The order between processes does not matter.
void sort_by_ends(std::vector<TimedEvents::Event>& events);

}  // namespace eventspace::metrics
