#include "scopes/metrics/compiler/graph.h"

#include <fmt/format.h>

#include <bit>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <eventspace/error.h>
#include "scopes/metrics/language/built_in_metrics.h"

namespace eventspace::metrics {
namespace {

using Kind = TypedNode::Kind;
using Role = GraphNode::Role;

/// Makes the graph of a definition. The value of a sampler is inlined where it is used, with the object of
/// the AT in place of the sampler's own.
class Expansion {
 public:
  Expansion(const Definition& definition, bool is_shared, std::size_t most)
      : definition_(definition), is_shared_(is_shared), most_(most) {}

  Graph take() {
    graph_.roots.push_back(put(*definition_.result, nothing));
    return std::move(graph_);
  }

 private:
  static constexpr std::uint32_t nothing = 0xffffffff;

  /// `self`: the node that stands for the object of the sampler around `node`.
  std::uint32_t put(const TypedNode& node, std::uint32_t self) {
    if (node.kind == Kind::variable && node.index == Definition::self && self != nothing)
      return is_shared_ ? self : copied(self);
    const auto key = std::pair(&node, self);
    if (const auto known = made_.find(key); is_shared_ && known != made_.end()) return known->second;
    const auto operands = node.kind == Kind::at ? operands_of_at(node, self) : operands_of(node, self);
    const std::uint32_t made = add({.role = Role::part, .what = &node}, operands);
    made_[key] = made;
    return made;
  }

  std::vector<std::uint32_t> operands_of(const TypedNode& node, std::uint32_t self) {
    std::vector<std::uint32_t> operands;
    for (const Typed& operand : node.operands) operands.push_back(put(*operand, self));
    if (node.condition) operands.push_back(put(*node.condition, self));
    return operands;
  }

  std::vector<std::uint32_t> operands_of_at(const TypedNode& node, std::uint32_t self) {
    const std::uint32_t object = put(*node.operands[0], self);
    const std::uint32_t value = put(*definition_.samplers[node.index].value, object);
    const std::uint32_t virtual_time = put(*node.operands[1], self);
    return {value, probe(node.index), object, virtual_time};
  }

  /// Samplers of one probe share its node.
  std::uint32_t probe(std::uint32_t sampler) {
    std::uint32_t first = 0;
    while (definition_.samplers[first].probe != definition_.samplers[sampler].probe) ++first;
    if (const auto known = probes_.find(first); is_shared_ && known != probes_.end()) return known->second;
    return probes_[first] = add({.role = Role::probe, .index = first}, {});
  }

  std::uint32_t copied(std::uint32_t node) {
    std::vector<std::uint32_t> operands;
    const auto of = graph_.operands_of(node);
    for (const std::uint32_t operand : std::vector(of.begin(), of.end())) operands.push_back(copied(operand));
    return add(graph_.nodes[node], operands);
  }

  std::uint32_t add(const GraphNode& node, std::span<const std::uint32_t> operands) {
    if (graph_.nodes.size() >= most_)
      throw ConfigurationError(
          fmt::format("metric {} has more than {} parts as a tree", definition_.name, most_));
    return graph_.add(node, operands);
  }

  const Definition& definition_;
  bool is_shared_;
  std::size_t most_;
  std::map<std::pair<const TypedNode*, std::uint32_t>, std::uint32_t> made_;
  std::map<std::uint32_t, std::uint32_t> probes_;
  Graph graph_;
};

/// The key that equal nodes share.
using Meaning = std::tuple<Role, const TypedNode*, std::uint32_t, std::uint64_t, std::vector<std::uint32_t>>;

struct MeaningHash {
  std::size_t operator()(const Meaning& meaning) const noexcept {
    std::size_t hash = std::hash<const TypedNode*>()(std::get<1>(meaning));
    const auto mix = [&hash](std::size_t part) {
      hash = (hash ^ part) * 0x9e3779b97f4a7c15U + (hash >> 29U);
    };
    mix(static_cast<std::size_t>(std::get<0>(meaning)));
    mix(std::get<2>(meaning));
    mix(std::get<3>(meaning));
    for (const std::uint32_t operand : std::get<4>(meaning)) mix(operand);
    return hash;
  }
};

/// Joins equal nodes among the nodes that `is_joined` selects.
Graph joined(const Graph& graph, const std::function<bool(const GraphNode&)>& is_joined) {
  Graph made;
  made.texts = graph.texts;
  std::vector<std::uint32_t> number(graph.nodes.size());
  std::unordered_map<Meaning, std::uint32_t, MeaningHash> known;
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const GraphNode& node = graph.nodes[i];
    std::vector<std::uint32_t> operands;
    for (const std::uint32_t operand : graph.operands_of(i)) operands.push_back(number[operand]);
    if (!is_joined(node)) {
      number[i] = made.add(node, operands);
      continue;
    }
    Meaning meaning{node.role, node.what, node.index, std::bit_cast<std::uint64_t>(node.number), operands};
    const auto [at, is_new] = known.try_emplace(std::move(meaning), 0);
    if (is_new) at->second = made.add(node, operands);
    number[i] = at->second;
  }
  for (const std::uint32_t root : graph.roots) made.roots.push_back(number[root]);
  made.root_names = graph.root_names;
  return made;
}

std::string name_of_built_in(const TypedNode& node, const Definition& definition) {
  if (node.index == Definition::the_clock) return "Time";
  if (Definition::is_sampled(node.index))
    return built_in_metrics()[node.index - Definition::first_sampled].name;
  const Counter& counter = definition.counters[node.index];
  const BuiltInMetric& metric = built_in_metrics()[counter.built_in];
  return metric.takes_condition() ? fmt::format("{}\n{}", metric.name, counter.condition) : metric.name;
}

std::string name_of_aggregate(const TypedNode& node, const Definition& definition) {
  std::string text(to_string(node.aggregate));
  for (const std::uint32_t variable : node.bound)
    text += fmt::format("[{}]", definition.variables[variable].name);
  if (node.aggregate == Aggregate::percentile) text += fmt::format(" {}", node.value);
  return text;
}

std::string label_of_part(const TypedNode& node, const Definition& definition) {
  switch (node.kind) {
    case Kind::number:
      return node.type.unit == no_unit ? fmt::format("{}", node.value)
                                       : fmt::format("{}{}", node.value, to_string(node.type.unit));
    case Kind::text:
      return fmt::format("'{}'", node.text);
    case Kind::moment:
      return std::string(to_string(node.moment));
    case Kind::interval:
      return "[ , ]";
    case Kind::parameter:
      return definition.parameters[node.index].name;
    case Kind::variable:
      return definition.variables[node.index].name;
    case Kind::probe_value:
      return fmt::format("VALUE{}", node.index + 1);
    case Kind::shifted:
      return fmt::format("{:+}", node.shift);
    case Kind::attribute:
      return fmt::format(".{}", to_string(node.attribute));
    case Kind::unary:
    case Kind::binary:
      return std::string(expressions::to_string(node.op));
    case Kind::within:
      return "IN";
    case Kind::built_in:
      return name_of_built_in(node, definition);
    case Kind::at:
      return "AT";
    case Kind::aggregate:
      return name_of_aggregate(node, definition);
    case Kind::combination:
      return std::string(to_string(node.aggregate));
    case Kind::rate:
      return "RATE";
    case Kind::metric:    // inlined by define()
    case Kind::received:  // only in a definition that is already divided
      break;
  }
  return "?";
}

}  // namespace

std::uint32_t Graph::add(GraphNode node, std::span<const std::uint32_t> of) {
  if (nodes.size() >= max_nodes)
    throw ConfigurationError(fmt::format(
        "the measurement has more than {} parts for these objects; choose fewer objects", max_nodes));
  node.first = static_cast<std::uint32_t>(operands.size());
  node.count = static_cast<std::uint32_t>(of.size());
  operands.insert(operands.end(), of.begin(), of.end());
  nodes.push_back(node);
  return static_cast<std::uint32_t>(nodes.size() - 1);
}

Graph tree_of(const Definition& definition) {
  return Expansion(definition, false, Graph::max_nodes_of_tree).take();
}

Graph with_shared_leaves(const Graph& tree) {
  return joined(tree, [](const GraphNode& node) { return node.count == 0; });
}

Graph without_common_parts(const Graph& graph) {
  return joined(graph, [](const GraphNode&) { return true; });
}

Graph graph_of(const Definition& definition) {
  return without_common_parts(Expansion(definition, true, Graph::max_nodes).take());
}

std::string label(const GraphNode& node, const Graph& graph, const Definition& definition,
                  const ObservedObjects* objects) {
  switch (node.role) {
    case Role::part:
      return label_of_part(*node.what, definition);
    case Role::probe:
      return definition.samplers[node.index].probe;
    case Role::object:
      return std::string(objects->name(node.what->type.base, node.index));
    case Role::constant:
      return fmt::format("{}", node.number);
    case Role::text:
      return fmt::format("'{}'", graph.texts[node.index]);
    case Role::guard:
      return "WHERE";
    case Role::joined:
      return node.what->kind == Kind::built_in ? "SUM" : std::string(to_string(node.what->aggregate));
  }
  return "?";
}

}  // namespace eventspace::metrics
