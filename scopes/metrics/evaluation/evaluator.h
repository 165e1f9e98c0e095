#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scopes/metrics/evaluation/aggregate_values.h"
#include "scopes/metrics/evaluation/chosen_objects.h"
#include "scopes/metrics/evaluation/collected_tallies.h"
#include "scopes/metrics/evaluation/evaluation_context.h"
#include "scopes/metrics/evaluation/expression_values.h"
#include "scopes/metrics/evaluation/metric_value.h"
#include "scopes/metrics/evaluation/moments.h"
#include "scopes/metrics/evaluation/new_steps.h"
#include "scopes/metrics/evaluation/tally.h"
#include "scopes/metrics/evaluation/value_nodes.h"
#include "scopes/metrics/history/datum.h"
#include "scopes/metrics/history/event_history.h"
#include "scopes/metrics/language/definition.h"

namespace eventspace::metrics {

/// Evaluates a definition over the observed events: takes samples when probes are passed, and returns values
/// at readings. The values come from ExpressionValues and AggregateValues.
///
/// 1. Aggregates take the values of virtual times once each, in order, as soon as all objects that take part
///    have reached the virtual time.
/// 2. An object that never passes the probe would hold them all back. So a virtual time is given up, and
///    taken without that object, when `max_waiting` later ones wait.
///
/// Not thread-safe.
class Evaluator {
 public:
  static constexpr std::size_t max_waiting = NewSteps::max_waiting;

  /// Both must outlive it.
  Evaluator(const Definition& definition, EventHistory& history);
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  /// Takes the samples of a passage of a probe, at its time. `chosen`: as for read().
  void sample(const ProbeSamples::Passage& passage, const Moments& moments, std::span<const Chosen> chosen);

  /// Evaluates the definition for each choice of objects. For a definition with a virtual time, returns the
  /// new values since the last call. `chosen` has an entry for each parameter; the entry of an object
  /// parameter has an entry for each object.
  std::vector<MetricValue> read(const Moments& moments, std::span<const Chosen> chosen);

  // For a server, which evaluates parts of a definition (scopes/metrics/distribution).

  /// Calls `use` with each new value of a stream of the definition for an object since the last call, also
  /// with absent ones. Call begin_reading() first.
  void for_new_values(const Part& stream, std::uint32_t object,
                      const std::function<void(const Step&, const Datum&)>& use);
  /// The step that an object has reached in a stream, if that is beyond its last value: the object leaves out
  /// the steps between. Call for_new_values() first.
  [[nodiscard]] std::optional<Step> reached(const Part& stream, std::uint32_t object) const {
    return steps_.reached(nodes_.of(stream.value), object);
  }
  /// The values that a collection of the definition took for an object since the last call. Call
  /// begin_reading() first.
  Tally newly_collected(const Part& collection, std::uint32_t object);
  void begin_reading(const Moments& moments, std::span<const Chosen> chosen);
  /// Takes a tally that a server collected.
  void receive(std::uint32_t collection, std::uint32_t object, const Tally::State& collected) {
    collected_.receive(collection, object, collected);
  }

  /// The number of values of virtual times that were left out because some of their inputs were not seen: a
  /// probe was passed before the measurement began, its record was lost or not made, or it was passed before
  /// the probe that it should follow. With several aggregates over virtual times, this is the largest number
  /// of any of them.
  [[nodiscard]] std::uint64_t unmatched() const noexcept { return unmatched_results_ + nodes_.unmatched(); }
  /// The same for a collection of the definition.
  [[nodiscard]] std::uint64_t unmatched(const Part& collection) const;

  /// The number of virtual times that were taken without an object that had not reached them.
  [[nodiscard]] std::uint64_t given_up() const noexcept { return steps_.given_up(); }
  /// The same for a stream or collection of the definition.
  [[nodiscard]] std::uint64_t given_up(const Part& part) const;
  /// Whether two collections take the same virtual times together, and so have given up the same ones.
  [[nodiscard]] bool are_taken_together(const Part& one, const Part& other) const;

 private:
  /// Chooses an object for each parameter that takes one, from parameter `parameter` on.
  void choose(std::size_t parameter, Binding& binding, std::vector<std::uint32_t>& objects,
              std::vector<MetricValue>& values);
  void take_stream(Binding& binding, const std::vector<std::uint32_t>& objects,
                   std::vector<MetricValue>& values);
  /// The names of the objects that are given for the parameters.
  [[nodiscard]] std::vector<std::string> names_of(const std::vector<std::uint32_t>& objects) const;

  EvaluationContext context_;
  ValueNodes nodes_;
  CollectedTallies collected_;
  ExpressionValues values_;
  NewSteps steps_;
  AggregateValues aggregates_;
  ValueNode* root_{nullptr};
  std::vector<ValueNode*> samplers_;
  Binding sampled_;  // for the object that passes a probe
  std::uint64_t unmatched_results_{0};
};

}  // namespace eventspace::metrics
