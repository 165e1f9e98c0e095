#include "scopes/metrics/distribution/division.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "scopes/metrics/compiler/graph.h"
#include "scopes/metrics/distribution/server_part_bounds.h"
#include "scopes/metrics/language/syntax.h"

namespace eventspace::metrics {
namespace {

using Kind = TypedNode::Kind;

/// Rebuilds the expression of a metric for the front-end, and collects the values that servers have to send
/// for it.
class Cut {
 public:
  Cut(const Definition& definition, const ObjectPatterns& objects, CutRegions cut)
      : definition_(definition), graph_(graph_of(definition)), places_(locate(graph_, definition, nullptr)) {
    made_.server.definition = definition;
    made_.server.definition.result.reset();
    made_.server.definition.name.clear();
    made_.server.objects = objects;
    made_.server.cut = cut;
    made_.front_end = definition;
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) numbers_.try_emplace(graph_.nodes[i].what, i);
  }

  /// Why the metric cannot be divided.
  [[nodiscard]] Reason obstacle() const {
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      if (!is_at(i)) continue;
      const Placement& value = places_[graph_.operands_of(i)[0]];
      if (places_[i].reason == Reason::partners || value.reason == Reason::partners) return Reason::partners;
      if (value.location.kind == Location::Kind::front_end) return value.reason;
      if (!is_convertible(value)) return Reason::several_clocks;
    }
    return Reason::none;
  }

  Division take() {
    made_.front_end.result = put(definition_.result);
    made_.server.counters.assign(counters_.begin(), counters_.end());
    made_.server.samplers.assign(samplers_.begin(), samplers_.end());
    for (Sampler& sampler : made_.front_end.samplers) sampler.value.reset();
    for (const Part& stream : made_.server.definition.streams) {
      const Base object = definition_.variables[stream.object].type.base;
      made_.front_end.samplers.push_back({"", object, nullptr, stream.times});
    }
    made_.front_end.collections = made_.server.definition.collections;
    return std::move(made_);
  }

 private:
  [[nodiscard]] bool is_at(std::uint32_t node) const {
    const GraphNode& at = graph_.nodes[node];
    return at.role == GraphNode::Role::part && at.what->kind == Kind::at;
  }
  static bool is_convertible(const Placement& placement) {
    return placement.times == 0 || placement.times == 1;
  }
  [[nodiscard]] const Placement& place_of(const TypedNode& node) const { return places_[numbers_.at(&node)]; }

  Typed put(const Typed& node) {
    if (!node) return node;
    const auto known = done_.find(node.get());
    if (known != done_.end()) return known->second;
    Typed made = sent(*node);
    if (!made) made = copied(*node);
    done_.emplace(node.get(), made);
    return made;
  }

  Typed copied(TypedNode node) {
    for (Typed& operand : node.operands) operand = put(operand);
    node.condition = put(node.condition);
    return nodes_.make(std::move(node));
  }

  /// Returns the front-end's replacement for a part that servers evaluate, or null for other nodes.
  Typed sent(const TypedNode& node) {
    if (node.kind == Kind::built_in) {
      // It sums the counts of servers; samples of processes come in the reports of each view.
      if (node.index < Definition::first_sampled) counters_.insert(node.index);
      return nullptr;
    }
    if (node.kind == Kind::at) {
      send_sampler(node.index);
      return nullptr;  // it finds the values that servers sampled
    }
    const Placement& place = place_of(node);
    const bool is_value = node.type.is(Base::value) || node.type.is(Base::boolean);
    if (place.location.kind != Location::Kind::host || !is_value || !is_convertible(place)) return nullptr;
    if (node.kind == Kind::aggregate) return collection(node, place);
    return node.is_event_triggered() ? stream(node, place) : nullptr;
  }

  void send_sampler(std::uint32_t sampler) {
    samplers_.insert(sampler);
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      if (is_at(i) && graph_.nodes[i].what->index == sampler)
        made_.front_end.samplers[sampler].times = places_[graph_.operands_of(i)[0]].times;
    }
  }

  Typed collection(const TypedNode& node, const Placement& place) {
    auto& collections = made_.server.definition.collections;
    collections.push_back({original(node), place.location.host, 0, place.times});
    TypedNode made;
    made.kind = Kind::received;
    made.type = node.type;
    made.index = static_cast<std::uint32_t>(collections.size() - 1);
    made.operands = {variable(place.location.host)};
    return nodes_.make(std::move(made));
  }

  /// An expression over the virtual times of one object becomes a sampler.
  Typed stream(const TypedNode& node, const Placement& place) {
    if (node.streams.size() != 1) return nullptr;
    auto& streams = made_.server.definition.streams;
    streams.push_back({original(node), place.location.host, node.streams[0], place.times});
    TypedNode made;
    made.kind = Kind::at;
    made.type = node.type;
    made.index = static_cast<std::uint32_t>(definition_.samplers.size() + streams.size() - 1);
    made.operands = {variable(place.location.host), variable(node.streams[0])};
    return nodes_.make(std::move(made));
  }

  Typed original(const TypedNode& node) {
    TypedNode copy = node;
    return nodes_.make(std::move(copy));
  }

  Typed variable(std::uint32_t number) {
    return nodes_.make(variable_node(number, definition_.variables[number].type));
  }

  const Definition& definition_;
  Graph graph_;
  std::vector<Placement> places_;
  std::unordered_map<const TypedNode*, std::uint32_t> numbers_;
  NodeTable nodes_;
  std::unordered_map<const TypedNode*, Typed> done_;
  std::set<std::uint32_t> counters_;
  std::set<std::uint32_t> samplers_;
  Division made_;
};

}  // namespace

std::variant<Division, Reason> divide(const Definition& definition, const ObjectPatterns& objects,
                                      CutRegions cut) {
  Cut made(definition, objects, cut);
  const Reason obstacle = made.obstacle();
  if (obstacle != Reason::none) return obstacle;
  Division division = made.take();
  if (definition.source.size() > longest_file || !fits_a_server(division.server)) return Reason::unknown;
  return division;
}

}  // namespace eventspace::metrics
