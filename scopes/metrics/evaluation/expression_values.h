#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scopes/metrics/evaluation/built_in_values.h"
#include "scopes/metrics/evaluation/collected_tallies.h"
#include "scopes/metrics/evaluation/evaluation_context.h"

namespace eventspace::metrics {

class AggregateValues;

/// The values of nodes, computed from the values of their operands.
///
/// 1. A shared node is computed once for each binding in a reading or sample (EvaluationContext::now_known).
/// 2. A column holds the same values as of() returns at its steps, one by one.
/// 3. A value that lacks an operand is absent, and not an error.
///
/// Not thread-safe.
class ExpressionValues {
 public:
  /// All must outlive it. `aggregates` need not be constructed yet.
  ExpressionValues(EvaluationContext& context, const ValueNodes& nodes, const CollectedTallies& collected,
                   AggregateValues& aggregates) noexcept
      : context_(context),
        nodes_(nodes),
        collected_(collected),
        aggregates_(aggregates),
        built_in_(context) {}

  Datum of(ValueNode& node, Binding& binding);
  /// The values of a node at some steps of a variable, in ascending order. All other variables are bound. The
  /// values are valid until `columns` of the context changes.
  std::span<const Datum> column(ValueNode& node, Binding& binding, std::uint32_t variable,
                                std::span<const Step> steps);

 private:
  Datum computed(const ValueNode& node, Binding& binding);
  Datum leaf(const ValueNode& node, const Binding& binding) const;
  static Datum variable(const ValueNode& node, const Binding& binding);
  Datum probe_value(const ValueNode& node) const;
  Datum attribute(const ValueNode& node, Binding& binding);
  Datum attribute_of_interval(const ValueNode& node, const ValueNode& interval) const;
  Datum attribute_of_object(const ValueNode& node, std::uint32_t number) const;
  Datum unary(const ValueNode& node, Binding& binding);
  Datum binary(const ValueNode& node, Binding& binding);
  /// The value of a binary node, given the values of its operands.
  static Datum of_two(const ValueNode& node, const Datum& left, const Datum& right);
  Datum within(const ValueNode& node, Binding& binding);
  Datum built_in(const ValueNode& node, Binding& binding);
  /// Gets the numbers of the object or objects that an operand names. False means that the operand is an
  /// error.
  bool objects_in(ValueNode& operand, Binding& binding, std::vector<std::uint32_t>& numbers, Datum& error);
  Datum at(const ValueNode& node, Binding& binding);
  Datum combination(const ValueNode& node, Binding& binding);
  Datum rate(const ValueNode& node, Binding& binding);
  Datum received(const ValueNode& node, Binding& binding);

  EvaluationContext& context_;
  const ValueNodes& nodes_;
  const CollectedTallies& collected_;
  AggregateValues& aggregates_;
  BuiltInValues built_in_;
};

}  // namespace eventspace::metrics
