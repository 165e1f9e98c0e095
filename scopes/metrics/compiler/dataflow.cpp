#include "scopes/metrics/compiler/dataflow.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace eventspace::metrics {
namespace {

using Kind = TypedNode::Kind;
using Role = GraphNode::Role;
using Where = Location::Kind;

constexpr std::uint32_t capacity_of_events = 1000;  // as many virtual times as wait for other objects

/// The origin of the values of a node.
struct Origin {
  std::uint32_t unit{FlowQueue::nothing};  ///< nothing: a constant
  std::uint32_t requester{FlowQueue::any_requester};
};

class Building {
 public:
  Building(const Graph& graph, const std::vector<Placement>& places)
      : graph_(graph), places_(places), origins_(graph.nodes.size()), is_used_(graph.nodes.size()) {}

  Dataflow take() {
    find_probes();
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) origins_[i] = origin(i);
    for (const std::uint32_t root : graph_.roots) connect(root, FlowQueue::nothing);
    return std::move(flow_);
  }

 private:
  /// Finds the probes that make the values of each node: the probes of the AT above it.
  void find_probes() {
    probes_.resize(graph_.nodes.size());
    for (const std::uint32_t root : graph_.roots) is_used_[root] = 1;
    for (std::size_t i = graph_.nodes.size(); i-- > 0;) {
      const auto number = static_cast<std::uint32_t>(i);
      const auto of = graph_.operands_of(number);
      for (const std::uint32_t operand : of)
        is_used_[operand] = is_of_interval(number) ? is_used_[operand] : char{1};
      if (is_at(number)) {
        probes_[of[0]].insert(requester_of(number));
        continue;
      }
      for (const std::uint32_t operand : of) {
        if (!is_stream(operand)) probes_[operand].insert(probes_[i].begin(), probes_[i].end());
      }
    }
  }

  [[nodiscard]] bool is_at(std::uint32_t number) const {
    const GraphNode& node = graph_.nodes[number];
    return node.role == Role::part && node.what->kind == Kind::at;
  }
  [[nodiscard]] bool is_stream(std::uint32_t number) const {
    const GraphNode& node = graph_.nodes[number];
    return node.what != nullptr && node.what->is_event_triggered();
  }
  /// Probes are numbered from 1; 0 is any requester.
  [[nodiscard]] std::uint32_t requester_of(std::uint32_t at) const {
    return graph_.nodes[graph_.operands_of(at)[1]].index + 1;
  }

  Origin origin(std::uint32_t number) {
    const GraphNode& node = graph_.nodes[number];
    if (node.role == Role::joined || node.role == Role::guard)
      return operation(number, FlowUnit::Kind::operation);
    if (node.role != Role::part) return {};
    switch (node.what->kind) {
      case Kind::built_in:
        return measurement(number);
      case Kind::at:
        return at(number);
      case Kind::aggregate:
        return collection(number);
      case Kind::attribute:
      case Kind::unary:
      case Kind::binary:
      case Kind::within:
      case Kind::combination:
      case Kind::rate:
        return operation(number, FlowUnit::Kind::operation);
      default:
        return {};  // a constant
    }
  }

  Origin measurement(std::uint32_t number) {
    const auto& probes = probes_[number];
    const Firing firing = probes.empty() ? Firing::on_reading : Firing::on_event;
    return {add({FlowUnit::Kind::measurement, firing, number, places_[number].location, listed(probes)})};
  }

  /// The probe is the requester of the value. An iterator makes a constant value.
  Origin at(std::uint32_t number) {
    const auto of = graph_.operands_of(number);
    const std::uint32_t requester = requester_of(number);
    Origin value{origins_[of[0]].unit, requester};
    if (value.unit == FlowQueue::nothing)
      value.unit =
          add({FlowUnit::Kind::iterator, Firing::on_event, number, places_[number].location, {requester}});
    if (graph_.nodes[of[3]].what->kind != Kind::shifted) return value;
    const std::uint32_t shift =
        add({FlowUnit::Kind::shift, Firing::on_all, number, places_[number].location, {}});
    flow_.queues.push_back({value.unit, shift, value.requester, number, capacity_of_events});
    return {shift};
  }

  /// An aggregate over virtual times collects tokens.
  Origin collection(std::uint32_t number) {
    const auto of = graph_.operands_of(number);
    const std::uint32_t unit =
        add({FlowUnit::Kind::collection, Firing::collects, number, places_[number].location, {}});
    connect(of[0], unit);
    const bool is_interval = of.size() > 1 && is_of_interval(of[1]);
    if (of.size() > 1 && !is_interval) connect(of[1], unit);
    return {unit};
  }

  /// Whether a condition requires that a value is in an interval, which is true for each new token.
  [[nodiscard]] bool is_of_interval(std::uint32_t condition) const {
    const GraphNode& node = graph_.nodes[condition];
    return node.role == Role::part && node.what->kind == Kind::within &&
           node.what->operands[1]->type.base == Base::time_interval;
  }

  Origin operation(std::uint32_t number, FlowUnit::Kind kind) {
    if (is_only_of_interval(number)) return {};
    const std::uint32_t unit =
        add({kind, Firing::on_all, number, places_[number].location, listed(probes_[number])});
    for (const std::uint32_t operand : graph_.operands_of(number)) connect(operand, unit);
    return {unit};
  }

  /// The firing rule of a collection covers its condition and the time of its value.
  [[nodiscard]] bool is_only_of_interval(std::uint32_t number) const {
    if (is_of_interval(number)) return true;
    const GraphNode& node = graph_.nodes[number];
    const bool is_time = node.role == Role::part && node.what->kind == Kind::attribute &&
                         node.what->attribute == Attribute::time;
    return is_time && is_used_[number] == 0;
  }

  std::uint32_t add(FlowUnit unit) {
    flow_.units.push_back(std::move(unit));
    return static_cast<std::uint32_t>(flow_.units.size() - 1);
  }

  static std::vector<std::uint32_t> listed(const std::set<std::uint32_t>& probes) {
    return {probes.begin(), probes.end()};
  }

  void connect(std::uint32_t node, std::uint32_t to) {
    const Origin& from = origins_[node];
    const bool is_of_events = is_stream(node) || !probes_[node].empty();
    flow_.queues.push_back({from.unit, to, from.requester, node, is_of_events ? capacity_of_events : 1});
  }

  const Graph& graph_;
  const std::vector<Placement>& places_;
  std::vector<Origin> origins_;
  std::vector<std::set<std::uint32_t>> probes_;
  std::vector<char> is_used_;  // by nodes other than conditions on intervals
  Dataflow flow_;
};

/// Gives each unit of a dataflow its places, with a copy for each.
class PlacedCopies {
 public:
  explicit PlacedCopies(const Dataflow& whole)
      : whole_(whole), incoming_(whole.units.size()), places_(whole.units.size()), made_(whole.units.size()) {
    for (const FlowQueue& queue : whole.queues) {
      if (queue.to != FlowQueue::nothing) incoming_[queue.to].push_back(&queue);
    }
  }

  Dataflow take() {
    find_places();
    for (std::uint32_t unit = 0; unit < whole_.units.size(); ++unit) {
      for (const Location& place : places_[unit]) copy(unit, place);
    }
    for (const FlowQueue& queue : whole_.queues) {
      if (queue.to == FlowQueue::nothing) lead(queue, FlowQueue::nothing, front_end);
    }
    return std::move(flow_);
  }

 private:
  struct Before {
    bool operator()(const Location& a, const Location& b) const {
      return std::pair(a.kind, a.host) < std::pair(b.kind, b.host);
    }
  };
  static constexpr Location front_end{Where::front_end, 0};

  /// A unit that can be anywhere goes where its tokens are taken.
  void find_places() {
    for (const FlowQueue& queue : whole_.queues) {
      if (queue.to == FlowQueue::nothing && queue.from != FlowQueue::nothing) need(queue.from, front_end);
    }
    for (std::size_t i = whole_.units.size(); i-- > 0;) {
      const Location& own = whole_.units[i].location;
      if (own.kind != Where::anywhere) places_[i] = {own};
      for (const FlowQueue* const queue : incoming_[i]) {
        if (queue->from == FlowQueue::nothing) continue;
        for (const Location& place : places_[i]) need(queue->from, place);
      }
    }
  }
  void need(std::uint32_t unit, const Location& place) { places_[unit].insert(place); }

  void copy(std::uint32_t number, const Location& place) {
    std::vector<FlowQueue> queues;
    for (const FlowQueue* const queue : incoming_[number]) queues.push_back(led(*queue, place));
    FlowUnit unit = whole_.units[number];
    unit.location = place;
    flow_.units.push_back(std::move(unit));
    const auto made = static_cast<std::uint32_t>(flow_.units.size() - 1);
    made_[number][place] = made;
    for (FlowQueue& queue : queues) {
      queue.to = made;
      flow_.queues.push_back(queue);
    }
  }

  void lead(const FlowQueue& queue, std::uint32_t to, const Location& place) {
    FlowQueue made = led(queue, place);
    made.to = to;
    flow_.queues.push_back(made);
  }

  /// The queue from the copy of its unit at this place, or from the connector that takes its tokens.
  FlowQueue led(const FlowQueue& queue, const Location& place) {
    FlowQueue made = queue;
    if (queue.from == FlowQueue::nothing) return made;
    const auto& copies = made_[queue.from];
    const auto here = copies.find(place);
    made.from = here == copies.end() ? connector(queue) : here->second;
    if (here == copies.end()) made.requester = FlowQueue::any_requester;
    return made;
  }

  std::uint32_t connector(const FlowQueue& queue) {
    const auto [known, is_new] = connectors_.try_emplace({queue.from, queue.requester}, 0);
    if (!is_new) return known->second;
    const std::uint32_t sender = made_[queue.from].begin()->second;
    flow_.units.push_back({FlowUnit::Kind::connector, Firing::on_arrival, queue.node, front_end, {}});
    known->second = static_cast<std::uint32_t>(flow_.units.size() - 1);
    flow_.queues.push_back({sender, known->second, queue.requester, queue.node, queue.capacity});
    return known->second;
  }

  const Dataflow& whole_;
  std::vector<std::vector<const FlowQueue*>> incoming_;
  std::vector<std::set<Location, Before>> places_;
  std::vector<std::map<Location, std::uint32_t, Before>> made_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> connectors_;
  Dataflow flow_;
};

}  // namespace

Dataflow dataflow_of(const Graph& graph, const std::vector<Placement>& places) {
  return Building(graph, places).take();
}

Dataflow divided(const Dataflow& whole) { return PlacedCopies(whole).take(); }

}  // namespace eventspace::metrics
