#pragma once

// Private to scopes/.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "scopes/metrics/evaluation/datum.h"
#include "scopes/metrics/evaluation/definition.h"
#include "scopes/metrics/evaluation/event_history.h"
#include "scopes/metrics/evaluation/tally.h"

namespace eventspace::metrics {

/// What the interval of a metric means at a reading (the aggregation modes of grid-distributed-evaluation,
/// section 6.4).
enum class Span : std::uint8_t { since_start, since_last };

/// The objects that are given for a parameter: which numbers of ObservedObjects.
using Chosen = std::vector<bool>;

/// When, and over which objects, an evaluation takes place. Plain data.
struct Moments {
  std::int64_t start_ns{0};  ///< of the measurement
  std::int64_t last_ns{0};   ///< the reading before
  std::int64_t now_ns{0};
  Span span{Span::since_start};
};

/// Evaluates the expressions of a definition over what was observed. Values of virtual times are put into
/// aggregates in the order of the virtual times, each once, as soon as all objects that take part have come
/// so far: an object that never passes the probe would keep them all back, so that after `most_waiting`
/// later ones a virtual time is given up, and is taken without that object. Not thread-safe.
class Evaluator {
 public:
  static constexpr std::size_t most_waiting = 1000;

  /// Both must outlive it.
  Evaluator(const Definition& definition, EventHistory& history);

  /// Takes the samples of a passage of a probe, at its time. `chosen`: as for read().
  void sample(const EventHistory::Passage& passage, const Moments& moments, std::span<const Chosen> chosen);

  /// A result: the objects that are given for the parameters, in their order, its virtual time, its value.
  struct Result {
    std::vector<std::uint32_t> objects;
    std::optional<Step> step{};
    Datum value;
  };
  /// Evaluates the definition for each choice of objects. Of a definition with a virtual time, returns the
  /// values that are new since the last call. `chosen` has an entry for each parameter; those of objects
  /// have an entry for each object.
  std::vector<Result> read(const Moments& moments, std::span<const Chosen> chosen);

  /// How many virtual times were taken without an object that had not come so far.
  [[nodiscard]] std::uint64_t given_up() const noexcept { return given_up_; }

 private:
  /// What the variables stand for, by their numbers: objects, or virtual times.
  struct Binding {
    std::vector<std::uint32_t> objects;
    std::vector<Step> steps;
  };
  using Key = std::pair<const TypedNode*, std::vector<std::int64_t>>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept;
  };
  /// An aggregate over virtual times, or the results of a definition with a virtual time, so far.
  struct Progress {
    std::optional<Tally> start{};
    std::optional<Tally> last{};
    std::optional<Step> done{};  // the last step that was taken
  };

  Datum of(const TypedNode& node, Binding& binding);
  Datum computed(const TypedNode& node, Binding& binding);
  Datum moment(Moment moment) const;
  Datum variable(const TypedNode& node, const Binding& binding) const;
  Datum probe_value(const TypedNode& node) const;
  Datum attribute(const TypedNode& node, Binding& binding);
  Datum attribute_of_interval(const TypedNode& node, const TypedNode& interval) const;
  Datum unary(const TypedNode& node, Binding& binding);
  Datum binary(const TypedNode& node, Binding& binding);
  Datum within(const TypedNode& node, Binding& binding);
  Datum built_in(const TypedNode& node, Binding& binding);
  Datum sampled(const TypedNode& node, Binding& binding);
  /// The objects, or the one object, that an operand names: their numbers. False: the operand is an error.
  bool objects_in(const TypedNode& operand, Binding& binding, std::vector<std::uint32_t>& numbers,
                  Datum& error);
  Datum at(const TypedNode& node, Binding& binding);
  Datum combination(const TypedNode& node, Binding& binding);
  Datum rate(const TypedNode& node, Binding& binding);

  Datum aggregate(const TypedNode& node, Binding& binding);
  Datum over_steps(const TypedNode& node, std::uint32_t variable, Binding& binding);
  /// Appends the values of the operand for each choice of the bound objects for which the condition holds.
  /// Returns `later` if one has no value yet, unless such ones are given up.
  Datum::State over_objects(const TypedNode& node, Binding& binding, std::vector<Datum>& taken);
  bool next_choice(const TypedNode& node, Binding& binding) const;
  bool first_choice(const TypedNode& node, Binding& binding) const;
  /// The steps after `done` of all objects that the samplers have sampled, in their order.
  [[nodiscard]] std::vector<Step> steps_after(const std::optional<Step>& done,
                                              const std::vector<std::uint32_t>& samplers) const;
  const std::vector<std::uint32_t>& samplers_below(const TypedNode& node);

  void stream_results(Binding& binding, const std::vector<std::uint32_t>& objects,
                      std::vector<Result>& results);
  /// Evaluates without the objects that have not come so far.
  template <class Evaluate>
  void giving_up(Evaluate evaluate) {
    ++given_up_;
    is_giving_up_ = true;
    known_.clear();
    evaluate();
    known_.clear();
    is_giving_up_ = false;
  }
  void choose(std::size_t parameter, Binding& binding, std::vector<std::uint32_t>& objects,
              std::vector<Result>& results);

  [[nodiscard]] Span span_of(const TypedNode& interval) const;
  [[nodiscard]] std::optional<Span> span_in(const TypedNode& condition) const;
  [[nodiscard]] Key key_of(const TypedNode& node, const Binding& binding) const;
  void note_shared(const TypedNode& node, std::unordered_set<const TypedNode*>& seen);

  const Definition& definition_;
  EventHistory& history_;
  std::span<const Chosen> chosen_;
  Moments moments_;
  const EventHistory::Passage* passage_{nullptr};  // while a sample is taken
  bool is_giving_up_{false};
  std::uint64_t given_up_{0};
  std::unordered_set<const TypedNode*> shared_;  // nodes with several parents: their values are remembered
  std::unordered_map<Key, Datum, KeyHash> known_;
  std::unordered_map<Key, Progress, KeyHash> progress_;
  std::unordered_map<const TypedNode*, std::vector<std::uint32_t>> samplers_below_;
};

}  // namespace eventspace::metrics
