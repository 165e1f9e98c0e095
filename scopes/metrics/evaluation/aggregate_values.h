#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scopes/metrics/evaluation/evaluation_context.h"
#include "scopes/metrics/evaluation/expression_values.h"
#include "scopes/metrics/evaluation/new_steps.h"
#include "scopes/metrics/evaluation/tally.h"

namespace eventspace::metrics {

/// The values of aggregates: over objects, and over virtual times.
///
/// 1. An aggregate over objects is computed anew for each binding. It has no value as long as the value of an
///    object that takes part does not exist.
/// 2. An aggregate over virtual times takes each value once (NewSteps). Aggregates over the same values take
///    them together.
///
/// Not thread-safe.
class AggregateValues {
 public:
  /// All must outlive it. `values` and `steps` need not be constructed yet.
  AggregateValues(EvaluationContext& context, ExpressionValues& values, NewSteps& steps) noexcept
      : context_(context), values_(values), steps_(steps) {}

  /// The value of a node `aggregate`.
  Datum of(const ValueNode& node, Binding& binding);
  /// The values that an aggregate over virtual times took since the last call.
  Tally newly_taken(const ValueNode& node, Binding& binding);

 private:
  /// The variable for virtual times over which an aggregate ranges, or nothing.
  [[nodiscard]] std::optional<std::uint32_t> time_of(const ValueNode& node) const;
  Datum over_steps(const ValueNode& node, std::uint32_t variable, Binding& binding);
  /// Takes the new steps of an aggregate.
  void take_steps(ValueNode& leader, std::uint32_t variable, Binding& binding, Progress& progress);
  /// Takes columns if the aggregate takes one value for each virtual time.
  void take_columns(ValueNode& leader, std::uint32_t variable, Binding& binding, Progress& progress,
                    std::vector<Tally>& tallies);
  /// Appends the values of the operand for each choice of the bound objects for which the condition holds,
  /// and to `without` the missing values. Returns `later` if a value does not exist yet, unless such values
  /// are given up.
  Datum::State over_objects(const ValueNode& node, Binding& binding, std::vector<Datum>& taken,
                            std::vector<Datum>& without);
  [[nodiscard]] bool is_chosen(const ValueNode& aggregate, const Datum& value) const;
  bool first_choice(const ValueNode& node, Binding& binding) const;
  bool next_choice(const ValueNode& node, Binding& binding) const;

  EvaluationContext& context_;
  ExpressionValues& values_;
  NewSteps& steps_;
};

/// The number of values of which only some inputs were seen.
std::uint64_t partial_ones(std::span<const Datum> values);

}  // namespace eventspace::metrics
