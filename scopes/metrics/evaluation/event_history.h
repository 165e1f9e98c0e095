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
#include "scopes/metrics/evaluation/datum.h"
#include "scopes/metrics/evaluation/definition.h"
#include "scopes/metrics/evaluation/event_condition.h"
#include "scopes/metrics/evaluation/observed_objects.h"
#include "scopes/metrics/evaluation/partners.h"
#include "scopes/metrics/evaluation/samples.h"
#include "scopes/metrics/evaluation/timed_events.h"
#include "scopes/metrics/evaluation/usages.h"
#include "scopes/metrics/language/built_in_metrics.h"
#include "scopes/tree/field_reader.h"

namespace eventspace::metrics {

/// What a measurement has seen: the objects, what it counted over their events, and the values that were
/// taken at probes. Not thread-safe.
class EventHistory {
 public:
  /// `definition` and `names` must outlive it. Throws ConfigurationError if an expression has a fault.
  EventHistory(const Definition& definition, const PlanNames& names);

  /// Makes a process known that may have no event.
  void add_process(std::uint32_t process) { (void)objects_.process(process, *names_); }
  /// The numbers of objects that may be new, by their numbers in records and reports.
  std::uint32_t process(std::uint32_t process) { return objects_.process(process, *names_); }
  std::uint32_t thread(std::uint32_t thread, std::uint32_t process) {
    return objects_.thread(thread, process, *names_);
  }

  /// Takes what a process has used, as a view reports it.
  void add_usage(const ProcessReport& report) {
    usages_.take(objects_.process(report.process, *names_), report);
  }
  [[nodiscard]] const Usages& usages() const noexcept { return usages_; }

  /// A passage of a probe for which there are samplers.
  struct Passage {
    std::span<const std::uint32_t> samplers;
    std::uint32_t thread{0};
    std::uint32_t process{0};
    std::int64_t virtual_time{0};
    std::array<std::optional<double>, 8> values{};
  };
  /// Whether the definition can need an event, by its last record.
  [[nodiscard]] bool needs(const TraceTuple& record) { return class_with(record).is_needed; }
  /// Counts an event; of what began before `start_ns` only the time from then on. Returns the passage, if the
  /// event is one that the definition samples.
  std::optional<Passage> add(const TimedEvents::Event& event, std::int64_t start_ns);

  /// What a server counted of a thread, with a partner or of all.
  struct Count {
    std::uint32_t counter{0};
    std::uint32_t thread{0};  ///< number of ObservedObjects
    std::optional<Partner> partner{};
    double total{0.0};
  };
  /// Takes what a server counted since the start, in the place of what it said before.
  void receive(const Count& count);
  /// What was counted, of all threads for which it changed since the last call of mark_read(); since the
  /// start.
  [[nodiscard]] std::vector<Count> changed(std::uint32_t counter) const;

  /// The sum of a counter over threads, since the start, or since mark_read().
  [[nodiscard]] double total(std::uint32_t counter, const std::vector<std::uint32_t>& threads) const;
  [[nodiscard]] double since_last(std::uint32_t counter, const std::vector<std::uint32_t>& threads) const;
  /// The sum of a counter by partner over threads and partners, since the start and until mark_read().
  struct Sums {
    double total{0.0};
    double until_last{0.0};
  };
  [[nodiscard]] Sums sums(std::uint32_t counter, const std::vector<std::uint32_t>& threads,
                          const std::set<Partner>& partners) const;
  void mark_read();

  [[nodiscard]] Samples& samples(std::uint32_t sampler, std::uint32_t object);
  /// Null: the object has not passed the probe.
  [[nodiscard]] const Samples* find(std::uint32_t sampler, std::uint32_t object) const noexcept {
    const std::vector<Samples>& of = samples_[sampler];
    return object < of.size() ? &of[object] : nullptr;
  }
  /// Those of all objects, by their numbers; empty ones for some that have not passed the probe.
  [[nodiscard]] std::span<const Samples> samples(std::uint32_t sampler) const noexcept {
    return samples_[sampler];
  }
  void note_passed(std::uint32_t sampler) { was_passed_[sampler] = true; }
  [[nodiscard]] bool was_passed(std::uint32_t sampler) const { return was_passed_[sampler]; }

  [[nodiscard]] const ObservedObjects& objects() const noexcept { return objects_; }

 private:
  struct Counting {
    Source source;
    EventCondition condition;
    std::optional<Expression> quantity;
    std::vector<double> totals;  // by thread
    std::vector<double> last;
    bool by_partner{false};
    std::map<std::pair<std::uint32_t, Partner>, Sums> of_partners{};  // by thread and partner
  };

  /// The counters that count the events of a class, of those that ask for no more.
  struct ClassOfEvents {
    std::uint32_t of{0};  // the bits of the class, plus 1; 0: unused
    bool is_needed{false};
    const FieldPlace* bytes{nullptr};  // null: it has to be looked for
    std::vector<std::uint32_t> counters{};
  };

  [[nodiscard]] const ClassOfEvents& class_with(const TraceTuple& record) {
    const std::uint32_t of = class_of(record) + 1;
    ClassOfEvents& known = classes_[(of ^ of >> 12) % classes_.size()];
    if (known.of != of) learn(known, record);
    return known;
  }
  void learn(ClassOfEvents& known, const TraceTuple& record);
  [[nodiscard]] double amount(const Counting& counting, const TimedEvents::Event& event,
                              std::int64_t start_ns);
  void count(Counting& counting, const TimedEvents::Event& event, std::uint32_t thread,
             std::int64_t start_ns);
  std::uint32_t count_all(const TimedEvents::Event& event, std::int64_t start_ns);
  [[nodiscard]] std::optional<Passage> passage(const ObservedEvent& event, std::uint32_t thread);
  [[nodiscard]] const std::vector<std::uint32_t>* samplers_at(std::uint32_t probe);

  const Definition* definition_;
  const PlanNames* names_;
  ObservedObjects objects_;
  Partners partners_;
  Usages usages_;
  std::vector<Counting> countings_;
  std::vector<std::uint32_t> of_no_class_;  // counters whose condition asks for more than the class
  std::array<ClassOfEvents, 64> classes_{};
  std::vector<std::vector<Samples>> samples_;  // by sampler and object
  std::vector<bool> was_passed_;               // by sampler
  std::map<std::uint32_t, std::vector<std::uint32_t>> samplers_of_probes_;
  std::pair<std::uint32_t, const std::vector<std::uint32_t>*> last_probe_{0, nullptr};
  FieldReader bytes_{"bytes"};
  FieldReader probe_{"probe"};
  FieldReader virtual_time_{"virtual_time"};
  std::vector<FieldReader> values_;  // as many as samplers need
};

}  // namespace eventspace::metrics
