#pragma once

// Private to scopes/.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collectors/kinds/event_kinds.h"
#include "scopes/expressions/expression.h"
#include "scopes/metrics/history/datum.h"
#include "scopes/metrics/language/definition.h"
#include "scopes/metrics/history/observed_objects.h"
#include "scopes/metrics/history/partners.h"
#include "scopes/metrics/history/probe_samples.h"
#include "scopes/metrics/history/region_counts.h"
#include "scopes/metrics/history/usages.h"
#include "scopes/metrics/events/event_condition.h"
#include "scopes/metrics/events/timed_events.h"
#include "scopes/metrics/language/built_in_metrics.h"
#include "scopes/tree/field_reader.h"

namespace eventspace::metrics {

/// The place of a whole number in the records of a class. Plain data.
struct WholeField {
  std::uint8_t word{0};
  std::uint8_t shift{0};
  std::uint64_t mask{0};  ///< 0 means that the records do not have it, or that it is not needed

  [[nodiscard]] std::uint64_t of(const TraceTuple& record) const noexcept {
    return record.words[word] >> shift & mask;
  }
};
/// The fields of the events of a class that are summed. Plain data.
struct SummedFields {
  WholeField bytes{};
  WholeField calls{};  ///< empty: each event is one call
};

/// The observations of a measurement: the objects, the counts over their events, and the values that were
/// taken at probes (ProbeSamples). Not thread-safe.
class EventHistory {
 public:
  /// `definition` and `names` must outlive it. Throws ConfigurationError if an expression has a fault.
  EventHistory(const Definition& definition, const PlanNames& names, CutRegions cut = CutRegions::partly);

  /// Adds a process, which may not have an event.
  void add_process(std::uint32_t process) { (void)objects_.process(process, *names_); }
  /// The numbers of objects that may be new, by their numbers in records and reports.
  std::uint32_t process(std::uint32_t process) { return objects_.process(process, *names_); }
  std::uint32_t thread(std::uint32_t thread, std::uint32_t process) {
    return objects_.thread(thread, process, *names_);
  }

  /// Takes the resource usage of a process from its report in a view.
  void add_usage(const ProcessReport& report) {
    usages_.take(objects_.process(report.process, *names_), report);
  }
  [[nodiscard]] const Usages& usages() const noexcept { return usages_; }

  /// Whether the definition can need an event, by its last record.
  [[nodiscard]] bool needs(const TraceTuple& record) { return class_with(record).is_needed; }
  /// Counts an event. If it began before `start_ns`, only the time from then on counts; if it ended before,
  /// it counts only in regions that count as a whole. Returns the passage, if the definition samples the
  /// event.
  std::optional<ProbeSamples::Passage> add(const TimedEvents::Event& event, std::int64_t start_ns);

  /// Whether only the number, bytes or time of the events of a class are needed, and not at probes, so that
  /// count_run() may count them before earlier events. `record`: one of the class.
  [[nodiscard]] bool is_plain(const TraceTuple& record) { return class_with(record).is_plain; }
  /// Whether an event that began at `began_ns` surely began after the start.
  [[nodiscard]] static bool is_after(double began_ns, std::int64_t start_ns) noexcept {
    constexpr double margin_ns = 1000.0;  // larger than any rounding of times
    return began_ns - margin_ns >= static_cast<double>(start_ns);
  }
  /// Whether the events of a plain class can be summed: only their number and bytes are needed, and records
  /// have these as whole numbers. Returns their places in the record.
  [[nodiscard]] std::optional<SummedFields> summed_up(const TraceTuple& record);
  /// Many events of a class.
  struct Sum {
    std::uint64_t events{0};
    std::uint64_t bytes{0};
    std::uint64_t calls{0};
  };
  /// Adds the sum of events of one thread that all began after the start. `record`: one of them.
  void add(const TraceTuple& record, std::uint32_t process, const Sum& sum);
  /// Counts the events of a run (TimedEvents::for_each), which are plain and began after the start, as add()
  /// does. `event`: the first.
  void count_run(const TimedEvents::Event& event, std::span<const TraceTuple> run);

  /// Takes the operations in flight in the processes that a view reports. Call it after the events of the
  /// view.
  void take_in_flight(const View& view, std::int64_t start_ns);

  /// A server's count for a thread, with one partner or all, in one region or everywhere.
  struct Count {
    std::uint32_t counter{0};
    std::uint32_t thread{0};  ///< number of ObservedObjects
    std::optional<Partner> partner{};
    double total{0.0};
    std::optional<std::uint32_t> region{};  ///< number of ObservedObjects
  };
  /// Takes a server's count since the start, which replaces its previous one.
  void receive(const Count& count);
  /// Returns the counts since the start, for all threads whose count changed since the last call of
  /// mark_read().
  [[nodiscard]] std::vector<Count> changed(std::uint32_t counter) const;

  /// The sum of a counter over threads, since the start, or since mark_read().
  [[nodiscard]] double total(std::uint32_t counter, const std::vector<std::uint32_t>& threads) const;
  [[nodiscard]] double since_last(std::uint32_t counter, const std::vector<std::uint32_t>& threads) const;
  /// The sum of a counter by partner or region, since the start and until mark_read(). Partners, or regions,
  /// are null if it does not count by them.
  struct Sums {
    double total{0.0};
    double until_last{0.0};
  };
  struct Over {
    std::vector<std::uint32_t> threads{};
    const std::set<Partner>* partners{nullptr};
    const std::vector<std::uint32_t>* regions{nullptr};
  };
  [[nodiscard]] Sums sums(std::uint32_t counter, const Over& over) const;
  /// Whether nothing was counted since mark_read() because an operation was in flight all the time since
  /// `last_ns`, the time of that call. The amount of the operation is not known yet, and 0 would be wrong
  /// (section 3.2.3 of the thesis).
  [[nodiscard]] bool is_held(std::uint32_t counter, const std::vector<std::uint32_t>& threads,
                             std::int64_t last_ns) const;
  /// The time from which the amount since mark_read() was counted: `last_ns`, or when it was first held.
  [[nodiscard]] std::int64_t counted_from(std::uint32_t counter, const std::vector<std::uint32_t>& threads,
                                          std::int64_t last_ns) const;
  /// `last_ns`: the time of the last call.
  void mark_read(std::int64_t last_ns = 0);

  /// An operation that a counter will count when it ends, and the time since which it is in flight.
  struct InFlight {
    std::uint32_t counter{0};
    std::uint32_t thread{0};
    std::int64_t since_ns{0};
  };
  /// The number of events and passages that were left out: events that may or may not be in a region
  /// (RegionCounts), regions beyond the limit (ObservedObjects::max_regions), events whose partner does not
  /// fit, and passages of probes without a number (uncounted_passage), or that had to be taken before earlier
  /// events (EventsInOrder).
  [[nodiscard]] std::uint64_t left_out() const;
  /// The same, for the events of one counter.
  [[nodiscard]] std::uint64_t left_out(std::uint32_t counter) const {
    return countings_[counter].without_place + countings_[counter].of_regions.left_out();
  }
  /// The same, for the regions beyond the limit, which counters by region miss; 0 for other counters.
  [[nodiscard]] std::uint64_t regions_left_out(std::uint32_t counter) const {
    return countings_[counter].by_region ? regions_left_out_ : 0;
  }
  /// Takes the region whose probe has this number, which may be new.
  std::optional<std::uint32_t> region(std::uint32_t probe) { return objects_.region(probe, *names_); }

  /// The threads with operations in flight which the counter will count, and since when the oldest is in
  /// flight.
  [[nodiscard]] const std::map<std::uint32_t, std::int64_t>& in_flight(std::uint32_t counter) const {
    return countings_[counter].in_flight;
  }
  /// Takes a server's report. If a thread has several operations, the oldest is kept.
  void receive(const InFlight& in_flight);

  [[nodiscard]] const ObservedObjects& objects() const noexcept { return objects_; }
  /// The values that were taken at probes.
  [[nodiscard]] ProbeSamples& samples() noexcept { return samples_; }
  [[nodiscard]] const ProbeSamples& samples() const noexcept { return samples_; }

  /// The most threads and partners for which a counter keeps sums.
  static constexpr std::size_t max_partner_sums = 262'144;

 private:
  struct Counting {
    Source source;
    EventCondition condition;
    std::optional<Expression> quantity;
    std::vector<double> totals;  // by thread
    std::vector<double> last;
    bool by_partner{false};
    bool by_region{false};
    Messages messages{Messages::calls};
    bool is_sampled{false};          // at a probe, so that the order of events matters
    std::uint64_t without_place{0};  // events whose partner does not fit
    std::map<std::pair<std::uint32_t, Partner>, Sums> of_partners{};  // by thread and partner; bounded
    RegionCounts of_regions{};
    std::map<std::uint32_t, std::int64_t> in_flight{};   // by thread: since when its oldest operation is
    std::map<std::uint32_t, std::int64_t> held_since{};  // by thread, over several readings

    [[nodiscard]] double since_last(std::uint32_t thread) const;
  };

  /// The counters that count the events of a class without needing further fields.
  struct ClassOfEvents {
    std::uint32_t of{0};  // the bits of the class, plus 1; 0: unused
    bool is_needed{false};
    const FieldPlace* bytes{nullptr};  // null: it has to be searched
    const FieldPlace* calls{nullptr};  // null: each record is one call
    bool is_plain{false};
    std::vector<std::uint32_t> counters{};
  };

  [[nodiscard]] const ClassOfEvents& class_with(const TraceTuple& record) {
    const std::uint32_t of = class_of(record) + 1;
    ClassOfEvents& known = classes_[place_of_class(of, classes_.size())];
    if (known.of != of) learn(known, record);
    return known;
  }
  void learn(ClassOfEvents& known, const TraceTuple& record);
  [[nodiscard]] bool is_plain_class(const ClassOfEvents& known, const TraceTuple& record) const;
  void count_messages(Counting& counting, const TimedEvents::Event& event, std::uint32_t thread,
                      std::int64_t start_ns);
  void count_with_partner(Counting& counting, std::uint32_t thread, const Partner& partner, double amount);
  static double amount_of_run(const Counting& counting, const ClassOfEvents& known,
                              const ProcessReport& process, const TraceTuple& record);
  static std::optional<WholeField> whole(const FieldPlace& place, const TraceTuple& record) noexcept;
  [[nodiscard]] double amount(const Counting& counting, const TimedEvents::Event& event,
                              std::int64_t start_ns);
  void count(Counting& counting, const TimedEvents::Event& event, std::uint32_t thread,
             std::int64_t start_ns);
  void count_by_region(Counting& counting, const TimedEvents::Event& event, std::uint32_t thread,
                       std::int64_t start_ns);
  /// The region that ended with this event, or nothing if it does not count.
  std::optional<std::uint32_t> ended_region(const TimedEvents::Event& event, std::int64_t start_ns);
  void end_region(const TimedEvents::Event& event, std::uint32_t thread, std::int64_t start_ns);
  void open_region(const TraceTuple& record, const ProcessReport& report, std::uint32_t thread,
                   std::int64_t start_ns);
  void note_in_flight(const TraceTuple& record, const ProcessReport& report, std::uint32_t thread);
  void forget_in_flight(std::uint32_t process);
  std::uint32_t count_all(const TimedEvents::Event& event, std::int64_t start_ns);
  const PlanNames* names_;
  CutRegions cut_;
  bool has_regions_{false};  // a counter counts by region
  std::uint64_t regions_left_out_{0};
  ObservedObjects objects_;
  Partners partners_;
  Usages usages_;
  ProbeSamples samples_;
  std::vector<Counting> countings_;
  std::vector<std::uint32_t> of_no_class_;  // counters whose condition needs more than the class
  std::array<ClassOfEvents, 64> classes_{};
  FieldReader bytes_{"bytes"};
};

}  // namespace eventspace::metrics
