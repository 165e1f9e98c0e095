#pragma once

// Private to scopes/.

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scopes/expressions/expression.h"
#include "scopes/metrics/evaluation/datum.h"
#include "scopes/metrics/evaluation/definition.h"
#include "scopes/metrics/evaluation/event_condition.h"
#include "scopes/metrics/evaluation/observed_objects.h"
#include "scopes/metrics/evaluation/partners.h"
#include "scopes/metrics/evaluation/usages.h"
#include "scopes/metrics/language/built_in_metrics.h"
#include "scopes/tree/field_reader.h"

namespace eventspace::metrics {

/// A virtual time, in the order in which an object passes a probe. A program may begin again at a lower
/// virtual time: then a new epoch begins. Plain data.
struct Step {
  std::int64_t epoch{0};
  std::int64_t virtual_time{0};
  friend auto operator<=>(const Step&, const Step&) = default;  // NOLINT
};

/// The values that one sampler took of one object, by virtual time. Keeps the newest.
class Samples {
 public:
  static constexpr std::size_t most = 4096;

  /// Returns the step of the next passage of the probe. Where the program has not set a virtual time, it is
  /// the number of the passage, from 0.
  Step next(std::int64_t virtual_time) noexcept;
  /// Keeps the value of a step. The first value of a step counts.
  void keep(const Step& step, const Datum& value);

  /// Returns the value; `later` if the object has not come so far, `absent` if it has passed it by.
  [[nodiscard]] Datum at(const Step& step) const;
  [[nodiscard]] const std::deque<std::pair<Step, Datum>>& all() const noexcept { return kept_; }
  [[nodiscard]] std::uint64_t repeated() const noexcept { return repeated_; }

 private:
  std::deque<std::pair<Step, Datum>> kept_;  // in ascending order
  std::optional<Step> last_;
  std::int64_t passages_{0};
  bool has_virtual_time_{false};
  std::uint64_t repeated_{0};
};

/// What a measurement has seen: the objects, what it counted over their events, and the values that were
/// taken at probes. Not thread-safe.
class EventHistory {
 public:
  /// `definition` and `names` must outlive it. Throws ConfigurationError if an expression has a fault.
  EventHistory(const Definition& definition, const PlanNames& names);

  /// Makes a process known that may have no event.
  void add_process(std::uint32_t process) { (void)objects_.process(process, *names_); }

  /// Takes what a process has used, as a view reports it.
  void add_usage(const ProcessReport& report) {
    usages_.take(objects_.process(report.process, *names_), report);
  }
  [[nodiscard]] const Usages& usages() const noexcept { return usages_; }

  /// A passage of a probe for which there are samplers.
  struct Passage {
    std::string_view probe;
    std::uint32_t thread{0};
    std::uint32_t process{0};
    std::int64_t virtual_time{0};
    std::array<std::optional<double>, 8> values{};
  };
  /// Counts an event that ended at `end_ns`; of what began before `start_ns` only the time from then on.
  /// Returns the passage, if the event is one that the definition samples.
  std::optional<Passage> add(const ObservedEvent& event, std::int64_t end_ns, std::int64_t start_ns);

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

  [[nodiscard]] Samples& samples(std::uint32_t sampler, std::uint32_t object) {
    return samples_[{sampler, object}];
  }
  /// The samples of all objects that have passed a probe.
  [[nodiscard]] const std::map<std::pair<std::uint32_t, std::uint32_t>, Samples>& samples() const noexcept {
    return samples_;
  }

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

  [[nodiscard]] double amount(const Counting& counting, const ObservedEvent& event, std::int64_t end_ns,
                              std::int64_t start_ns) const;
  void count(Counting& counting, const ObservedEvent& event, std::uint32_t thread, double amount);
  [[nodiscard]] std::optional<Passage> passage(const ObservedEvent& event, std::uint32_t thread) const;

  const Definition* definition_;
  const PlanNames* names_;
  ObservedObjects objects_;
  Partners partners_;
  Usages usages_;
  std::vector<Counting> countings_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Samples> samples_;  // by sampler and object
  FieldReader bytes_{"bytes"};
  FieldReader probe_{"probe"};
  FieldReader virtual_time_{"virtual_time"};
  std::vector<FieldReader> values_;
};

}  // namespace eventspace::metrics
