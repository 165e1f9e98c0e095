#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scopes/metrics/events/timed_events.h"
#include "scopes/metrics/history/counter_totals.h"
#include "scopes/metrics/history/event_classes.h"
#include "scopes/metrics/history/event_counter.h"
#include "scopes/metrics/history/observed_objects.h"
#include "scopes/metrics/history/partners.h"
#include "scopes/metrics/history/probe_samples.h"
#include "scopes/metrics/history/region_counts.h"
#include "scopes/metrics/history/usages.h"
#include "scopes/metrics/language/definition.h"

namespace eventspace::metrics {

/// The observations of a measurement: takes events and distributes them to the objects, the totals of the
/// counters, and the values that were taken at probes.
///
/// 1. An event counts for the thread in its record. The thread and its process are known from then on.
/// 2. Events of one thread may be counted one by one (add), as runs (count_run) or as sums (add_sum). All
///    three lead to the same totals, to the last digit.
/// 3. A region counts in itself when it ends. Depending on CutRegions, its time so far counts, too.
///
/// Not thread-safe.
class EventHistory {
 public:
  /// `definition` and `names` must outlive it. Throws ConfigurationError if an expression has a fault.
  EventHistory(const Definition& definition, const PlanNames& names, CutRegions cut = CutRegions::partly);
  EventHistory(const EventHistory&) = delete;
  EventHistory& operator=(const EventHistory&) = delete;

  /// The numbers of objects that may be new, by their numbers in records and reports.
  std::uint32_t process(std::uint32_t process) { return objects_.process(process, *names_); }
  std::uint32_t thread(std::uint32_t thread, std::uint32_t process) {
    return objects_.thread(thread, process, *names_);
  }
  /// The region whose probe has this number, which may be new.
  std::optional<std::uint32_t> region(std::uint32_t probe) { return objects_.region(probe, *names_); }

  /// Takes the resource usage of a process from its report in a view.
  void add_usage(const ProcessReport& report) { usages_.take(process(report.process), report); }

  /// Whether the definition can need an event, by its last record.
  [[nodiscard]] bool needs(const TraceTuple& record) { return classes_.of(record).is_needed; }
  /// Counts an event. If it began before `start_ns`, only the time from then on counts; if it ended before,
  /// it counts only in regions that count as a whole. Returns the passage, if the definition samples the
  /// event.
  std::optional<ProbeSamples::Passage> add(const TimedEvents::Event& event, std::int64_t start_ns);
  /// Many events of a class.
  struct Sum {
    std::uint64_t events{0};
    std::uint64_t bytes{0};
    std::uint64_t calls{0};
  };
  /// Adds the sum of events of one thread that all began after the start, and whose class can be summed.
  /// `record`: one of them.
  void add_sum(const TraceTuple& record, std::uint32_t process, const Sum& sum);
  /// Counts the events of a run (TimedEvents::for_each), which are plain and began after the start, as add()
  /// does. `event`: the first.
  void count_run(const TimedEvents::Event& event, std::span<const TraceTuple> run);
  /// Takes the operations in flight in the processes that a view reports. Call it after the events of the
  /// view.
  void take_in_flight(const View& view, std::int64_t start_ns);

  /// `last_ns`: the time of the last call.
  void mark_read(std::int64_t last_ns = 0);

  [[nodiscard]] const ObservedObjects& objects() const noexcept { return objects_; }
  [[nodiscard]] const Usages& usages() const noexcept { return usages_; }
  [[nodiscard]] EventClasses& classes() noexcept { return classes_; }
  [[nodiscard]] CounterTotals& totals(std::uint32_t counter) noexcept { return totals_[counter]; }
  [[nodiscard]] const CounterTotals& totals(std::uint32_t counter) const noexcept { return totals_[counter]; }
  [[nodiscard]] ProbeSamples& samples() noexcept { return samples_; }
  [[nodiscard]] const ProbeSamples& samples() const noexcept { return samples_; }

  /// The number of events and passages that were left out: events that may or may not be in a region
  /// (RegionCounts), regions beyond the limit (ObservedObjects::max_regions), events whose partner does not
  /// fit, and passages of probes without a number (uncounted_passage), or that had to be taken before earlier
  /// events (EventsInOrder).
  [[nodiscard]] std::uint64_t left_out() const;
  /// The same, for the regions beyond the limit, which counters by region miss; 0 for other counters.
  [[nodiscard]] std::uint64_t regions_left_out(std::uint32_t counter) const {
    return counters_[counter].by_region ? regions_left_out_ : 0;
  }

 private:
  /// Returns the number of the thread.
  std::uint32_t count_all(const TimedEvents::Event& event, std::int64_t start_ns);
  void count(std::uint32_t counter, const TimedEvents::Event& event, const EventClass& known,
             std::uint32_t thread, std::int64_t start_ns);
  void count_messages(std::uint32_t counter, const TimedEvents::Event& event, std::uint32_t thread,
                      std::int64_t start_ns);
  void count_by_region(std::uint32_t counter, const TimedEvents::Event& event, const EventClass& known,
                       std::uint32_t thread, std::int64_t start_ns);
  /// The region that ended with this event, or nothing if it does not count.
  std::optional<std::uint32_t> ended_region(const TimedEvents::Event& event, std::int64_t start_ns);
  void end_region(const TimedEvents::Event& event, std::uint32_t thread, std::int64_t start_ns);
  void open_region(const TraceTuple& record, const ProcessReport& report, std::uint32_t thread,
                   std::int64_t start_ns);
  void note_in_flight(const TraceTuple& record, const ProcessReport& report, std::uint32_t thread);
  void forget_in_flight(std::uint32_t process);

  const PlanNames* names_;
  CutRegions cut_;
  std::uint64_t regions_left_out_{0};
  ObservedObjects objects_;
  Partners partners_;
  Usages usages_;
  ProbeSamples samples_;
  std::vector<EventCounter> counters_;  // does not change: `classes_` refers to it
  std::vector<CounterTotals> totals_;   // by counter
  EventClasses classes_;
};

}  // namespace eventspace::metrics
