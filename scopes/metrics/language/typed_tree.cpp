#include "scopes/metrics/language/typed_tree.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <tuple>
#include <utility>

namespace eventspace::metrics {
namespace {

// In the order of Attribute.
constexpr std::array<std::string_view, 9> attributes{"rank", "name",  "process", "node",  "site",
                                                     "time", "begin", "end",     "length"};

void unite(std::vector<std::uint32_t>& all, const std::vector<std::uint32_t>& more) {
  std::vector<std::uint32_t> united;
  std::ranges::set_union(all, more, std::back_inserter(united));
  all = std::move(united);
}

void remove(std::vector<std::uint32_t>& from, const std::vector<std::uint32_t>& bound) {
  std::erase_if(from, [&bound](std::uint32_t each) { return std::ranges::binary_search(bound, each); });
}

/// Returns the virtual time that an expression of that type names.
std::uint32_t stream_of(const TypedNode& virtual_time) {
  if (virtual_time.kind == TypedNode::Kind::shifted) return stream_of(*virtual_time.operands[0]);
  return virtual_time.kind == TypedNode::Kind::variable ? virtual_time.index : the_parameter;
}

/// Whether events of a probe make the values of this node, in the virtual time that is among its operands.
bool waits_for_events(const TypedNode& node) {
  return node.kind == TypedNode::Kind::at || node.kind == TypedNode::Kind::metric;
}

void derive(TypedNode& node) {
  node.depth = 1;
  node.free_variables.clear();
  node.streams.clear();
  std::ranges::sort(node.bound);
  if (node.kind == TypedNode::Kind::variable) node.free_variables = {node.index};
  const auto take = [&node](const Typed& part) {
    if (!part) return;
    unite(node.free_variables, part->free_variables);
    unite(node.streams, part->streams);
    node.depth = std::max<std::uint16_t>(node.depth, static_cast<std::uint16_t>(part->depth + 1));
  };
  for (const Typed& operand : node.operands) {
    take(operand);
    if (waits_for_events(node) && operand->type.is(Base::virtual_time))
      unite(node.streams, {stream_of(*operand)});
  }
  take(node.condition);
  remove(node.free_variables, node.bound);
  remove(node.streams, node.bound);
}

std::size_t hash_of(const TypedNode& node) {
  std::size_t hash = 0;
  const auto mix = [&hash](std::size_t part) { hash = (hash ^ part) * 0x9e3779b97f4a7c15U + (hash >> 29U); };
  mix(static_cast<std::size_t>(node.kind));
  mix(static_cast<std::size_t>(node.op));
  mix(node.index);
  mix(static_cast<std::size_t>(node.shift));
  mix(std::hash<double>()(node.value));
  mix(std::hash<std::string>()(node.text));
  for (const Typed& operand : node.operands) mix(std::hash<Typed>()(operand));
  for (const std::uint32_t variable : node.bound) mix(variable);
  return hash;
}

/// Whether two nodes have the same operands and the same meaning. Operands of nodes in one table are compared
/// by identity.
bool is_same(const TypedNode& left, const TypedNode& right) {
  const auto meaning = [](const TypedNode& node) {
    return std::tie(node.kind, node.op, node.aggregate, node.attribute, node.moment, node.shift, node.index,
                    node.value, node.text, node.operands, node.bound, node.condition, node.type.base,
                    node.type.dimensions, node.type.unit);
  };
  return meaning(left) == meaning(right);
}

}  // namespace

std::string_view to_string(Attribute attribute) noexcept {
  return attributes[static_cast<std::size_t>(attribute)];
}

TypedNode variable_node(std::uint32_t number, const MetricType& type) {
  TypedNode node;
  node.kind = TypedNode::Kind::variable;
  node.type = type;
  node.index = number;
  return node;
}

Typed NodeTable::make(TypedNode node) {
  const std::size_t hash = hash_of(node);
  const auto [first, last] = nodes_.equal_range(hash);
  for (auto each = first; each != last; ++each) {
    if (is_same(*each->second, node)) return each->second;
  }
  derive(node);
  return nodes_.emplace(hash, std::make_shared<const TypedNode>(std::move(node)))->second;
}

}  // namespace eventspace::metrics
