#include "scopes/metrics/distribution/server_part_bounds.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace eventspace::metrics {
namespace {

using Kind = TypedNode::Kind;

bool is_number(const TypedNode& node) {
  return node.type.dimensions == 0 && (node.type.base == Base::value || node.type.base == Base::boolean);
}

bool is_only_of(const TypedNode& node, const std::vector<std::uint32_t>& variables) {
  return std::ranges::all_of(node.free_variables, [&](std::uint32_t variable) {
    return std::ranges::find(variables, variable) != variables.end();
  });
}

/// Visits the nodes of expressions, each once.
class Nodes {
 public:
  explicit Nodes(const Definition& definition) : definition_(&definition) {}

  void add(const Typed& node) {
    if (!node || has_aggregate_.contains(node.get())) return;
    bool has_aggregate = node->kind == Kind::aggregate;
    for (const Typed& operand : node->operands) has_aggregate |= has_aggregate_below(operand);
    if (node->condition) has_aggregate |= has_aggregate_below(node->condition);
    can_all_be_evaluated_ = can_all_be_evaluated_ && can_be_evaluated(*node);
    has_aggregate_.emplace(node.get(), has_aggregate);
  }
  [[nodiscard]] std::size_t count() const noexcept { return has_aggregate_.size(); }
  [[nodiscard]] bool can_all_be_evaluated() const noexcept { return can_all_be_evaluated_; }

 private:
  bool has_aggregate_below(const Typed& node) {
    add(node);
    return has_aggregate_.at(node.get());
  }

  /// The front-end evaluates regions, samples and aggregates over objects.
  [[nodiscard]] bool can_be_evaluated(const TypedNode& node) const {
    const bool is_small = node.depth <= ServerPartBounds::depth &&
                          node.operands.size() < ServerPartBounds::lists &&
                          node.bound.size() <= ServerPartBounds::lists;
    if (!is_small || node.type.base == Base::region) return false;
    switch (node.kind) {
      case Kind::built_in:
        return node.index == Definition::the_clock ||
               (node.index < definition_->counters.size() && !definition_->counters[node.index].by_region);
      case Kind::at:
        return is_number(node);
      case Kind::aggregate:
        return is_simple_aggregate(node);
      case Kind::combination:
      case Kind::rate:
        return is_number(node) &&
               std::ranges::all_of(node.operands, [](const Typed& operand) { return is_number(*operand); });
      case Kind::metric:
      case Kind::received:
        return false;
      default:
        return true;
    }
  }

  /// Only one virtual time is allowed: with several, the time to evaluate would have no bound.
  [[nodiscard]] bool is_simple_aggregate(const TypedNode& node) const {
    const bool is_over_steps =
        !node.bound.empty() && std::ranges::all_of(node.bound, [this](std::uint32_t variable) {
          return definition_->variables[variable].type.is(Base::virtual_time);
        });
    const bool is_nested = has_aggregate_.at(node.operands[0].get()) ||
                           (node.condition && has_aggregate_.at(node.condition.get()));
    return is_over_steps && !is_nested && is_number(node) && is_number(*node.operands[0]);
  }

  const Definition* definition_;
  std::unordered_map<const TypedNode*, bool> has_aggregate_;  // of visited nodes
  bool can_all_be_evaluated_{true};
};

bool is_of_events(Base object) { return object == Base::process || object == Base::thread; }

bool fits(const Sampler& sampler, const Definition& definition) {
  // The number of the object that passes the probe stands for `self`, so `self` must have its type.
  const bool has_self =
      sampler.value->free_variables.empty() || definition.variables[Definition::self].type.is(sampler.object);
  return has_self && is_number(*sampler.value) && !sampler.value->is_event_triggered() &&
         is_only_of(*sampler.value, {Definition::self});
}

bool fits_as_stream(const Part& part, const Definition& definition) {
  return is_of_events(definition.variables[part.object].type.base) && is_number(*part.value) &&
         part.value->streams == std::vector{part.virtual_time} &&
         is_only_of(*part.value, {part.object, part.virtual_time});
}

bool fits_as_collection(const Part& part, const Definition& definition) {
  return is_of_events(definition.variables[part.object].type.base) && part.value->kind == Kind::aggregate &&
         part.value->bound.size() == 1 && is_only_of(*part.value, {part.object});
}

Nodes nodes_of(const Definition& definition) {
  Nodes nodes(definition);
  nodes.add(definition.result);
  for (const Sampler& sampler : definition.samplers) nodes.add(sampler.value);
  for (const Part& stream : definition.streams) nodes.add(stream.value);
  for (const Part& collection : definition.collections) nodes.add(collection.value);
  return nodes;
}

}  // namespace

bool fits_a_server(const ServerPart& part) {
  const Definition& definition = part.definition;
  const std::size_t longest =
      std::max({definition.parameters.size(), definition.variables.size(), definition.counters.size(),
                definition.samplers.size(), definition.streams.size(), definition.collections.size()});
  if (longest > ServerPartBounds::lists) return false;
  const Nodes nodes = nodes_of(definition);
  const auto in = [&definition](bool (*check)(const Part&, const Definition&)) {
    return [&definition, check](const Part& each) { return check(each, definition); };
  };
  return nodes.count() <= ServerPartBounds::nodes && nodes.can_all_be_evaluated() &&
         std::ranges::all_of(definition.samplers,
                             [&](const Sampler& each) { return fits(each, definition); }) &&
         std::ranges::all_of(definition.streams, in(fits_as_stream)) &&
         std::ranges::all_of(definition.collections, in(fits_as_collection));
}

std::size_t node_count(const Definition& definition) { return nodes_of(definition).count(); }

}  // namespace eventspace::metrics
