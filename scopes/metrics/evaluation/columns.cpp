// The columns of Evaluator: the values of a node at many virtual times.

#include <algorithm>

#include "scopes/metrics/evaluation/evaluator.h"

namespace eventspace::metrics {

using Kind = TypedNode::Kind;

/// Counts and aggregates depend on the time of the evaluation, so they have no column.
bool Evaluator::has_column(const Node& node) {
  switch (node.what->kind) {
    case Kind::number:
    case Kind::text:
    case Kind::moment:
    case Kind::parameter:
    case Kind::variable:
    case Kind::shifted:
    case Kind::interval:
    case Kind::attribute:
    case Kind::unary:
    case Kind::binary:
    case Kind::within:
    case Kind::combination:
    case Kind::rate:
      return std::ranges::all_of(node.operands, &Node::has_column);
    case Kind::at:
      return node.operands[0]->what->kind == Kind::variable;
    case Kind::probe_value:
    case Kind::metric:
    case Kind::built_in:
    case Kind::aggregate:
    case Kind::received:
      return false;
  }
  return false;
}

std::span<const Datum> Evaluator::column(Node& node, Binding& binding, std::uint32_t variable,
                                         std::span<const Step> steps) {
  if (node.column_in == columns_) return node.column;  // already computed for another node
  const Kind kind = node.what->kind;
  const Samples* const samples =
      kind == Kind::at && node.when == variable
          ? history_.samples().find(node.what->index, binding.objects[node.operands[0]->what->index])
          : nullptr;
  node.column_in = columns_;
  if (samples != nullptr) return node.column = samples->at(steps, node.shift, node.made);
  node.made.resize(steps.size());
  if (kind == Kind::binary) {
    const auto left = column(*node.operands[0], binding, variable, steps);
    const auto right = column(*node.operands[1], binding, variable, steps);
    for (std::size_t i = 0; i < steps.size(); ++i) node.made[i] = of_two(node, left[i], right[i]);
  } else {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      binding.steps[variable] = steps[i];
      node.made[i] = of(node, binding);
    }
  }
  return node.column = node.made;
}

}  // namespace eventspace::metrics
