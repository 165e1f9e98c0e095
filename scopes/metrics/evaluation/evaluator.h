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
#include "scopes/metrics/evaluation/datum.h"
#include "scopes/metrics/evaluation/definition.h"
#include "scopes/metrics/evaluation/event_history.h"
#include "scopes/metrics/evaluation/tally.h"

namespace eventspace::metrics {

/// What the interval of a metric means at a reading (the aggregation modes of grid-distributed-evaluation,
/// section 6.4).
enum class Span : std::uint8_t { since_start, since_last };

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
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

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

  // For a server, which evaluates parts of a definition (scopes/metrics/distribution).

  /// The values of a stream of the definition, for an object, that are new since the last call; absent ones,
  /// too. Call begin_reading() first.
  std::vector<std::pair<Step, Datum>> new_values(const Part& stream, std::uint32_t object);
  /// Up to which step an object has come in a stream, if that is beyond its last value: it leaves out the
  /// steps until there. Call new_values() first.
  [[nodiscard]] std::optional<Step> reached(const Part& stream, std::uint32_t object) const;
  /// What a collection of the definition took, for an object, since the last call. Call begin_reading()
  /// first.
  Tally newly_collected(const Part& collection, std::uint32_t object);
  void begin_reading(const Moments& moments, std::span<const Chosen> chosen);
  /// Takes what a server collected.
  void receive(std::uint32_t collection, std::uint32_t object, const Tally::State& collected);

  /// How many values of virtual times were left out because not all that they are made of was seen: a probe
  /// was passed before the measurement began, its record was lost or not made, or it was passed before the
  /// one that it should follow. Of several aggregates over virtual times, that of the one with most.
  [[nodiscard]] std::uint64_t unmatched() const noexcept;
  /// The same of a collection of the definition.
  [[nodiscard]] std::uint64_t unmatched(const Part& collection) const;

  /// How many virtual times were taken without an object that had not come so far.
  [[nodiscard]] std::uint64_t given_up() const noexcept { return given_up_; }
  /// The same of a stream or collection of the definition.
  [[nodiscard]] std::uint64_t given_up(const Part& part) const;
  /// Whether two collections take the same virtual times together, and so have given up the same ones.
  [[nodiscard]] bool are_taken_together(const Part& one, const Part& other) const;

 private:
  static constexpr std::uint32_t nothing = 0xffffffff;

  /// What the variables stand for, by their numbers: objects, or virtual times.
  struct Binding {
    std::vector<std::uint32_t> objects;
    std::vector<Step> steps;
  };
  /// A node of the expressions, with what is asked of it again and again.
  struct Node {
    const TypedNode* what{nullptr};
    std::vector<Node*> operands{};
    Node* condition{nullptr};
    /// Of an aggregate: its condition is only that the value's own time is in the interval.
    bool is_by_own_time{false};
    bool is_shared{false};  ///< has several parents: its last value is remembered
    /// Samplers whose values it needs, in ascending order.
    std::vector<std::uint32_t> samplers{};
    /// The same, with the shifts of the virtual times that it asks for.
    std::vector<std::pair<std::uint32_t, std::int64_t>> asked{};
    /// Of an aggregate: the first one over the same values, with which it takes them, and its place among
    /// those that do.
    Node* leader{nullptr};
    std::size_t place{0};
    std::vector<const TypedNode*> together{};  ///< of the first: all of them
    /// The variable whose object passes all the probes that it needs; nothing: there are several objects.
    std::uint32_t passer{nothing};
    /// Of an AT: the variable of its virtual time, and by how much that is shifted.
    std::uint32_t when{nothing};
    std::int64_t shift{0};
    std::uint64_t given_up{0};   ///< how many of its virtual times were
    std::uint64_t unmatched{0};  ///< how many of its values were left out
    bool is_duration{false};     ///< the later less the earlier of something that never goes back
    // The remembered value: of these objects and virtual times, in this reading or sample.
    std::uint64_t known_in{0};
    std::vector<std::int64_t> known_for{};
    Datum known{};
    /// Whether its value depends only on what it is made of, so that column() may compute it ahead.
    bool has_column{false};
    // Its last column, the number of that, and room for one.
    std::span<const Datum> column{};
    std::uint64_t column_in{0};
    std::vector<Datum> made{};
  };
  using Key = std::pair<const Node*, std::vector<std::int64_t>>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept;
  };
  /// An aggregate over virtual times, or the results of a definition with a virtual time, so far.
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
  /// The value of a binary node, of those of its operands.
  static Datum of_two(const Node& node, const Datum& left, const Datum& right);
  Datum within(const Node& node, Binding& binding);
  Datum built_in(const Node& node, Binding& binding);
  Datum limited(const Node& node, Binding& binding, EventHistory::Over over);
  Datum sampled(const Node& node, Binding& binding);
  /// The objects, or the one object, that an operand names: their numbers. False: the operand is an error.
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
  /// and to `without` those that are none. Returns `later` if one has no value yet, unless such ones are
  /// given up.
  Datum::State over_objects(const Node& node, Binding& binding, std::vector<Datum>& taken,
                            std::vector<Datum>& without);
  bool next_choice(const Node& node, Binding& binding) const;
  bool first_choice(const Node& node, Binding& binding) const;
  // Columns: the values of many virtual times are computed together, node by node, so that each costs little
  // more than its arithmetic.

  /// Not longer than what stays in the cache.
  static constexpr std::size_t most_in_column = 64;
  static bool has_column(const Node& node);
  /// The values of a node at some steps, in ascending order, of a variable. All else is bound. They are valid
  /// until `columns_` changes.
  std::span<const Datum> column(Node& node, Binding& binding, std::uint32_t variable,
                                std::span<const Step> steps);
  /// Calls `use` with new steps and the values of a node at them, in their order, up to the first one whose
  /// value is not there yet; for_new_steps() takes the others. `of_steps`: what says which steps are new.
  template <class Use>
  void for_columns(Progress& progress, const Node& of_steps, Node& node, Binding& binding,
                   std::uint32_t variable, const Use& use);
  void take_columns(Node& leader, std::uint32_t variable, Binding& binding, Progress& progress,
                    std::vector<Tally>& tallies);

  /// The steps after `done` of the objects that pass the probes of a node, in their order.
  [[nodiscard]] std::vector<Step> steps_after(const std::optional<Step>& done, const Node& node,
                                              const Binding& binding) const;
  void add_steps(const Samples& samples, const std::optional<Step>& done, std::vector<Step>& steps) const;
  /// Calls `take` for each new step, which returns false if a value is not there yet: then the step waits,
  /// until too many do.
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
  const EventHistory::Passage* passage_{nullptr};  // while a sample is taken
  bool is_giving_up_{false};
  std::uint64_t given_up_{0};
  std::uint64_t unmatched_results_{0};
  std::uint64_t now_known_{1};  // what was remembered with a lower number is forgotten
  std::uint64_t columns_{0};    // the number of the steps whose columns are computed
  std::unordered_map<const TypedNode*, std::unique_ptr<Node>> nodes_;
  Node* root_{nullptr};
  std::vector<Node*> samplers_;
  Binding sampled_;  // of the object that passes a probe
  std::unordered_map<Key, Progress, KeyHash> progress_;
  /// What servers collected: by collection and object.
  std::vector<std::vector<Progress::Taken>> received_;
};

}  // namespace eventspace::metrics
