#pragma once

// Private to scopes/.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scopes/metrics/evaluation/chosen_objects.h"
#include "scopes/metrics/evaluation/tally.h"
#include "scopes/metrics/history/datum.h"
#include "scopes/metrics/history/event_history.h"
#include "scopes/metrics/language/definition.h"

namespace eventspace::metrics {

/// The meaning of a metric's interval at a reading (the aggregation modes of grid-distributed-evaluation,
/// section 6.4).
enum class Span : std::uint8_t { since_start, since_last };

/// The times of an evaluation. Plain data.
struct Moments {
  std::int64_t start_ns{0};  ///< start of the measurement
  std::int64_t last_ns{0};   ///< the previous reading
  std::int64_t now_ns{0};
  Span span{Span::since_start};
};

/// Evaluates the expressions of a definition over the observed events. Aggregates take the values of virtual
/// times once each, in order, as soon as all objects that take part have reached the virtual time. An object
/// that never passes the probe would hold them all back. So a virtual time is given up, and taken without
/// that object, when `max_waiting` later ones wait. Not thread-safe.
class Evaluator {
 public:
  static constexpr std::size_t max_waiting = 1000;

  /// Both must outlive it.
  Evaluator(const Definition& definition, EventHistory& history);
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  /// Takes the samples of a passage of a probe, at its time. `chosen`: as for read().
  void sample(const ProbeSamples::Passage& passage, const Moments& moments, std::span<const Chosen> chosen);

  /// A result: the objects that are given for the parameters, in their order, its virtual time, its value.
  struct Result {
    std::vector<std::uint32_t> objects;
    std::optional<Step> step{};
    Datum value;
  };
  /// Evaluates the definition for each choice of objects. For a definition with a virtual time, returns the
  /// new values since the last call. `chosen` has an entry for each parameter; the entry of an object
  /// parameter has an entry for each object.
  std::vector<Result> read(const Moments& moments, std::span<const Chosen> chosen);

  // For a server, which evaluates parts of a definition (scopes/metrics/distribution).

  /// The new values of a stream of the definition for an object since the last call, including absent values.
  /// Call begin_reading() first.
  std::vector<std::pair<Step, Datum>> new_values(const Part& stream, std::uint32_t object);
  /// The step that an object has reached in a stream, if that is beyond its last value: the object leaves out
  /// the steps between. Call new_values() first.
  [[nodiscard]] std::optional<Step> reached(const Part& stream, std::uint32_t object) const;
  /// The values that a collection of the definition took for an object since the last call. Call
  /// begin_reading() first.
  Tally newly_collected(const Part& collection, std::uint32_t object);
  void begin_reading(const Moments& moments, std::span<const Chosen> chosen);
  /// Takes a tally that a server collected.
  void receive(std::uint32_t collection, std::uint32_t object, const Tally::State& collected);

  /// The number of values of virtual times that were left out because some of their inputs were not seen: a
  /// probe was passed before the measurement began, its record was lost or not made, or it was passed before
  /// the probe that it should follow. With several aggregates over virtual times, this is the largest number
  /// of any of them.
  [[nodiscard]] std::uint64_t unmatched() const noexcept;
  /// The same for a collection of the definition.
  [[nodiscard]] std::uint64_t unmatched(const Part& collection) const;

  /// The number of virtual times that were taken without an object that had not reached them.
  [[nodiscard]] std::uint64_t given_up() const noexcept { return given_up_; }
  /// The same for a stream or collection of the definition.
  [[nodiscard]] std::uint64_t given_up(const Part& part) const;
  /// Whether two collections take the same virtual times together, and so have given up the same ones.
  [[nodiscard]] bool are_taken_together(const Part& one, const Part& other) const;

 private:
  static constexpr std::uint32_t nothing = 0xffffffff;

  /// The values of the variables, by number: objects, or virtual times.
  struct Binding {
    std::vector<std::uint32_t> objects;
    std::vector<Step> steps;
  };
  /// A node of the expressions, with cached properties.
  struct Node {
    const TypedNode* what{nullptr};
    std::vector<Node*> operands{};
    Node* condition{nullptr};
    /// For an aggregate: whether its condition is only that the value's own time is in the interval.
    bool is_by_own_time{false};
    bool is_shared{false};  ///< has several parents: its last value is cached
    /// Samplers whose values it needs, in ascending order.
    std::vector<std::uint32_t> samplers{};
    /// The same, with the shifts of the virtual times that it needs.
    std::vector<std::pair<std::uint32_t, std::int64_t>> asked{};
    /// For an aggregate: the first aggregate over the same values, with which it takes them, and its own
    /// place among the aggregates that do so.
    Node* leader{nullptr};
    std::size_t place{0};
    std::vector<const TypedNode*> together{};  ///< for the leader: all of them
    /// The variable whose object passes all the probes that it needs; `nothing` if there are several objects.
    std::uint32_t passer{nothing};
    /// For an AT: the variable of its virtual time, and the shift of that.
    std::uint32_t when{nothing};
    std::int64_t shift{0};
    std::uint64_t given_up{0};   ///< virtual times that were given up
    std::uint64_t unmatched{0};  ///< values that were left out
    bool is_duration{false};     ///< the later less the earlier value of something that never decreases
    // The cached value: for these objects and virtual times, in this reading or sample.
    std::uint64_t known_in{0};
    std::vector<std::int64_t> known_for{};
    Datum known{};
    /// Whether its value depends only on its operands, so that column() may compute it ahead.
    bool has_column{false};
    // Its last column, the number of that column, and a buffer for one.
    std::span<const Datum> column{};
    std::uint64_t column_in{0};
    std::vector<Datum> made{};
  };
  using Key = std::pair<const Node*, std::vector<std::int64_t>>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept;
  };
  /// The progress of an aggregate over virtual times, or of the results of a definition with a virtual time.
  struct Progress {
    struct Taken {
      std::optional<Tally> start{};
      std::optional<Tally> last{};
    };
    std::vector<Taken> taken{};  // by aggregate
    std::optional<Step> done{};  // the last step that was taken
  };

  Datum of(Node& node, Binding& binding);
  Datum computed(const Node& node, Binding& binding);
  Datum leaf(const Node& node, const Binding& binding) const;
  Datum moment(Moment moment) const;
  Datum variable(const Node& node, const Binding& binding) const;
  Datum probe_value(const Node& node) const;
  Datum attribute(const Node& node, Binding& binding);
  Datum attribute_of_interval(const Node& node, const Node& interval) const;
  Datum unary(const Node& node, Binding& binding);
  Datum binary(const Node& node, Binding& binding);
  /// The value of a binary node, given the values of its operands.
  static Datum of_two(const Node& node, const Datum& left, const Datum& right);
  Datum within(const Node& node, Binding& binding);
  Datum built_in(const Node& node, Binding& binding);
  Datum limited(const Node& node, Binding& binding, CounterTotals::Over over);
  Datum sampled(const Node& node, Binding& binding);
  /// Gets the numbers of the object or objects that an operand names. False means that the operand is an
  /// error.
  bool objects_in(Node& operand, Binding& binding, std::vector<std::uint32_t>& numbers, Datum& error);
  Datum at(const Node& node, Binding& binding);
  Datum combination(const Node& node, Binding& binding);
  Datum rate(const Node& node, Binding& binding);

  Datum aggregate(const Node& node, Binding& binding);
  [[nodiscard]] Datum over_interval(Datum value, std::optional<Span> span) const;
  Datum over_steps(const Node& node, std::uint32_t variable, Binding& binding);
  /// Takes the new steps of an aggregate.
  void take_steps(Node& leader, std::uint32_t variable, Binding& binding, Progress& progress);
  void join_others(Node& aggregate) const;
  static bool is_by_own_time(const Node& aggregate);
  [[nodiscard]] bool is_chosen(const Node& aggregate, const Datum& value) const;
  [[nodiscard]] bool is_in_interval(double time_ns) const;
  [[nodiscard]] double time_of(const Datum& value) const;
  Datum received(const Node& node, Binding& binding);
  /// Appends the values of the operand for each choice of the bound objects for which the condition holds,
  /// and to `without` the missing values. Returns `later` if a value does not exist yet, unless such values
  /// are given up.
  Datum::State over_objects(const Node& node, Binding& binding, std::vector<Datum>& taken,
                            std::vector<Datum>& without);
  bool next_choice(const Node& node, Binding& binding) const;
  bool first_choice(const Node& node, Binding& binding) const;
  // Columns: the values of many virtual times are computed together, node by node, so that each costs little
  // more than its arithmetic.

  /// Short enough to stay in the cache.
  static constexpr std::size_t max_in_column = 64;
  static bool has_column(const Node& node);
  /// The values of a node at some steps of a variable, in ascending order. All other variables are bound. The
  /// values are valid until `columns_` changes.
  std::span<const Datum> column(Node& node, Binding& binding, std::uint32_t variable,
                                std::span<const Step> steps);
  /// Calls `use` with new steps and the values of a node at them, in their order, up to the first step whose
  /// value does not exist yet; for_new_steps() takes the others. `of_steps`: the node that determines which
  /// steps are new.
  template <class Use>
  void for_columns(Progress& progress, const Node& of_steps, Node& node, Binding& binding,
                   std::uint32_t variable, const Use& use);
  void take_columns(Node& leader, std::uint32_t variable, Binding& binding, Progress& progress,
                    std::vector<Tally>& tallies);

  /// The steps after `done` of the objects that pass the probes of a node, in their order.
  [[nodiscard]] std::vector<Step> steps_after(const std::optional<Step>& done, const Node& node,
                                              const Binding& binding) const;
  void add_steps(const Samples& samples, const std::optional<Step>& done, std::vector<Step>& steps) const;
  /// Calls `take` for each new step. `take` returns false if a value does not exist yet; the step then waits,
  /// until too many steps wait.
  template <class Take>
  void for_new_steps(Progress& progress, Node& node, Binding& binding, std::uint32_t variable,
                     const Take& take);

  void stream_results(Binding& binding, const std::vector<std::uint32_t>& objects,
                      std::vector<Result>& results);
  void choose(std::size_t parameter, Binding& binding, std::vector<std::uint32_t>& objects,
              std::vector<Result>& results);

  [[nodiscard]] Span span_of(const Node& interval) const;
  [[nodiscard]] std::optional<Span> span_in(const Node& condition) const;
  [[nodiscard]] Key key_of(const Node& node, const Binding& binding) const;
  [[nodiscard]] bool is_known(const Node& node, const Binding& binding) const;
  void remember(Node& node, const Binding& binding, const Datum& value) const;
  template <class Use>
  void for_free_variables(const Node& node, const Binding& binding, const Use& use) const;
  /// The node of an expression, which is made once.
  Node& node_of(const Typed& expression);
  void find_passer(Node& node) const;
  [[nodiscard]] bool is_duration(const Node& node) const;
  [[nodiscard]] bool never_goes_back(const TypedNode& value) const;
  [[nodiscard]] Binding empty_binding() const;

  const Definition& definition_;
  EventHistory& history_;
  std::span<const Chosen> chosen_;
  Moments moments_;
  const ProbeSamples::Passage* passage_{nullptr};  // while a sample is taken
  bool is_giving_up_{false};
  std::uint64_t given_up_{0};
  std::uint64_t unmatched_results_{0};
  std::uint64_t now_known_{1};  // values cached with a lower number are stale
  std::uint64_t columns_{0};    // the number of the steps whose columns are computed
  std::unordered_map<const TypedNode*, std::unique_ptr<Node>> nodes_;
  Node* root_{nullptr};
  std::vector<Node*> samplers_;
  Binding sampled_;  // for the object that passes a probe
  std::unordered_map<Key, Progress, KeyHash> progress_;
  /// The tallies that servers collected, by collection and object.
  std::vector<std::vector<Progress::Taken>> received_;
};

}  // namespace eventspace::metrics
