#include "pathmaps/expansion/scopes/written_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "pathmaps/expansion/routes.h"
#include "pathmaps/reading/names.h"

namespace eventspace::expansion {

using reading::Mapping;
using reading::Value;

namespace {

class TreeReader {
 public:
  TreeReader(const Word& scope, const Traces& traces, std::chrono::nanoseconds timeout, const Ground& ground,
             const Draft& draft)
      : scope_(scope), traces_(traces), timeout_(timeout), ground_(ground), draft_(draft) {}

  WrittenNode read_root(const Value& tree) {
    WrittenNode root = read_node(tree, nullptr, std::nullopt);
    check_complete(tree.place);
    return root;
  }

 private:
  /// The leaf that has selected a trace element, for faults about a second leaf.
  struct Leaf {
    std::string name;
    Place place;
  };

  WrittenNode read_node(const Value& value, const ScopeWrapping* above, Position parent) {
    const Mapping mapping(&value, reading::tree_node_shape, draft_.faults);
    WrittenNode node;
    if (value.kind != Value::Kind::mapping) {
      is_whole_ = false;
      return node;
    }
    read_name(mapping, node);
    read_position(mapping, parent, node);
    node.wrapping = read_wrapping(mapping, reading::tree_node_shape.name, timeout_, draft_);
    if (above != nullptr) check_timeout(*above, node.wrapping, draft_.faults);
    read_below(mapping, node);
    return node;
  }

  void read_name(const Mapping& mapping, WrittenNode& node) {
    const auto name = mapping.word("name");
    if (!name || !check_name(*name, reading::NameKind::simple, draft_.faults)) return;
    names_.add(*name, draft_.faults);
    node.name = name->text;
  }

  void read_position(const Mapping& mapping, Position parent, WrittenNode& node) {
    node.at = parent;
    const auto on = mapping.word("on");
    if (!on) return;
    if (on->text == "consumer") {
      node.at = std::nullopt;
    } else if (const auto found = draft_.nodes.find(on->text)) {
      node.at = found;
    } else {
      return draft_.faults.add(
          on->place, fmt::format("found '{}' for 'on'; allowed: consumer or the name of a node", on->text));
    }
    check_flow(node.at, parent, on->place);
  }

  void check_flow(Position from, Position to, const Place& place) {
    if (may_flow(draft_.plan, from, to)) return;
    const auto& runner = draft_.plan.nodes[*to];
    if (!from)
      return draft_.faults.add(place, fmt::format("found 'consumer' for 'on', but its parent runs on "
                                                  "node '{}'; data goes to the consumer, never back",
                                                  runner.name));
    const auto& cluster = draft_.plan.clusters[*runner.cluster];
    draft_.faults.add(
        place, fmt::format("data cannot flow from node '{}' to '{}': it must not enter cluster '{}' on its "
                           "way to the consumer; allowed instead of '{}' are its gateway '{}', nodes outside "
                           "and the consumer",
                           draft_.plan.nodes[*from].name, runner.name, cluster.name, runner.name,
                           draft_.plan.nodes[*cluster.gateway].name));
  }

  void read_below(const Mapping& mapping, WrittenNode& node) {
    if (const auto fault = fault_below(mapping); !fault.empty()) {
      is_whole_ = false;
      return draft_.faults.add(
          mapping.place(),
          fmt::format("found {} in tree_node; expected children, or sources if it is a leaf", fault));
    }
    for (const auto* child : mapping.items("children"))
      node.children.push_back(read_node(*child, &node.wrapping, node.at));
    for (const auto* item : mapping.items("sources")) read_sources(*item, node);
    std::ranges::sort(node.traces);
  }

  static std::string_view fault_below(const Mapping& mapping) {
    const bool children = mapping.find("children") != nullptr;
    const bool sources = mapping.find("sources") != nullptr;
    if (children && sources) return "both 'children' and 'sources'";
    if (!children && !sources) return "neither 'children' nor 'sources'";
    if (mapping.is_empty("children")) return "'children' without any";
    return mapping.is_empty("sources") ? "'sources' without any" : "";
  }

  void read_sources(const Value& value, WrittenNode& leaf) {
    const auto faults = draft_.faults.count();
    const Mapping chooser(&value, reading::sources_shape, draft_.faults);
    Traces chosen;
    std::ranges::set_intersection(select_traces(chooser, all_points, ground_, draft_), traces_,
                                  std::back_inserter(chosen));
    if (draft_.faults.count() != faults) {
      is_whole_ = false;
      return;
    }
    if (chosen.empty() && !traces_.empty())
      draft_.faults.add(value.place,
                        fmt::format("these are not trace elements that scope '{}' selects", scope_.text));
    check_new(chosen, value.place);
    for (const auto trace : chosen) {
      if (!leaf_of_.emplace(trace, Leaf{leaf.name, value.place}).second) continue;
      leaf.traces.push_back(trace);
      check_source_flow(trace, leaf.at, value.place);
    }
  }

  void check_new(const Traces& chosen, const Place& place) {
    Traces twice;
    std::ranges::copy_if(chosen, std::back_inserter(twice),
                         [&](TraceIndex trace) { return leaf_of_.contains(trace); });
    if (twice.empty()) return;
    const Leaf& first = leaf_of_.at(twice.front());
    draft_.faults.add(
        place, fmt::format("{} of leaf '{}' too, see {}; a trace element can be in only one leaf",
                           are_sources(twice), first.name, draft_.faults.describe(first.place, place)));
  }

  void check_source_flow(TraceIndex trace, Position leaf, const Place& place) {
    const auto node = draft_.plan.node_of(draft_.plan.traces[trace].host);
    if (flow_checked_.emplace(node, leaf, place).second) check_flow(node, leaf, place);
  }

  void check_complete(const Place& tree) {
    if (!is_whole_) return;
    Traces left;
    std::ranges::copy_if(traces_, std::back_inserter(left),
                         [&](TraceIndex trace) { return !leaf_of_.contains(trace); });
    if (left.empty()) return;
    draft_.faults.add(
        tree,
        fmt::format("{} of no leaf, but scope '{}' selects {}; put {} into one, or exclude {} with 'except'",
                    are_sources(left), scope_.text, left.size() == 1 ? "it" : "them",
                    left.size() == 1 ? "it" : "them", left.size() == 1 ? "it" : "them"));
  }

  [[nodiscard]] std::string are_sources(const Traces& traces) const {
    const auto& first = draft_.plan.traces[traces.front()].name;
    if (traces.size() == 1) return fmt::format("'{}' is a source", first);
    return fmt::format("'{}' and {} more are sources", first, traces.size() - 1);
  }

  const Word& scope_;
  const Traces& traces_;
  std::chrono::nanoseconds timeout_;
  Ground ground_;
  const Draft& draft_;
  NameIndex names_{"tree node"};
  std::map<TraceIndex, Leaf> leaf_of_;
  std::set<std::tuple<NodeIndex, Position, Place>> flow_checked_;
  bool is_whole_{true};  ///< the nodes were without faults, so missing traces have another cause
};

}  // namespace

WrittenNode read_tree(const Mapping& scope, const Word& name, const Traces& traces,
                      std::chrono::nanoseconds timeout, const Ground& ground, const Draft& draft) {
  return TreeReader(name, traces, timeout, ground, draft).read_root(*scope.find("tree"));
}

}  // namespace eventspace::expansion
