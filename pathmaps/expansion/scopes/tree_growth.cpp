#include "pathmaps/expansion/scopes/tree_growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "pathmaps/expansion/priorities.h"
#include "pathmaps/expansion/routes.h"
#include "pathmaps/expansion/scopes/k_ary.h"
#include "pathmaps/plan/match.h"
#include "pathmaps/plan/plan_names.h"

namespace eventspace::expansion {

namespace {

constexpr std::size_t no_number = std::numeric_limits<std::size_t>::max();

void fault_threads(const ScopeWrapping& wrapping, const std::string& who, Faults& faults) {
  faults.add(
      wrapping.ask_place,
      fmt::format("threads have no effect here: everything below {} runs on other nodes, which 'ask: "
                  "overlapped' asks at the same time; use threads where the sources run in the same place",
                  who));
}

class LevelGrower {
 public:
  LevelGrower(const Plan& plan, const ScopeOutline& outline)
      : plan_(plan), outline_(outline), parts_(plan, outline.direct), has_work_(outline.levels.size()) {}

  ScopeNode grow() { return parts_.below(std::nullopt, grow_group(0, outline_.traces)); }

  /// Reports levels whose threads are without work.
  void check_threads(Faults& faults) const {
    for (std::size_t depth = 0; depth < outline_.levels.size(); ++depth) {
      const auto& level = outline_.levels[depth];
      if (level.wrapping.asking == Asking::threads && !has_work_[depth])
        fault_threads(level.wrapping, fmt::format("group {}", to_string(level.group)), faults);
    }
  }

 private:
  [[nodiscard]] const Host& host_of(TraceIndex trace) const { return plan_.traces[trace].host; }
  [[nodiscard]] NodeIndex node_of(TraceIndex trace) const { return plan_.node_of(host_of(trace)); }
  [[nodiscard]] ThreadIndex thread_of(TraceIndex trace) const {
    return plan_.paths[plan_.traces[trace].path].thread;
  }

  Planted grow_group(std::size_t depth, const Traces& traces) {
    const auto& level = outline_.levels[depth];
    const auto name = group_name(level.group, traces.front());
    const auto here = position_of(level, traces.front());
    auto children = fold(depth, {name, "", here}, grow_children(depth + 1, traces, name));
    return {combine(depth, name, level.wrapping, here, std::move(children)), here};
  }

  std::vector<Planted> grow_children(std::size_t depth, const Traces& traces, const std::string& owner) {
    if (depth == outline_.levels.size()) return parts_.reads(traces, owner);
    std::vector<Planted> children;
    for (const auto& group : split(outline_.levels[depth].group, traces))
      children.push_back(grow_group(depth, group));
    return children;
  }

  ScopeNode combine(std::size_t depth, const std::string& name, const ScopeWrapping& wrapping, Position here,
                    std::vector<Planted> children) {
    auto below = parts_.below(here, std::move(children));
    has_work_[depth] = has_work_[depth] || has_work_for_threads(below);
    return TreeParts::wrap(name, wrapping, std::move(below));
  }

  /// The node whose children are folded: a group, or a node inserted below it, with a number such as "1.2.".
  struct Owner {
    std::string group;
    std::string number;
    Position at;  ///< the place of the group
  };

  /// If there are more children than the level's arity, inserts nodes and returns these instead of the
  /// children.
  std::vector<Planted> fold(std::size_t depth, const Owner& owner, std::vector<Planted> children) {
    const auto& level = outline_.levels[depth];
    if (!level.arity) return children;
    const auto sizes = k_ary_parts(children.size(), *level.arity);
    if (sizes.empty()) return children;
    std::vector<Planted> parts;
    auto next = std::make_move_iterator(children.begin());
    for (const auto size : sizes) {
      std::vector<Planted> part(next, next + static_cast<std::ptrdiff_t>(size));
      next += static_cast<std::ptrdiff_t>(size);
      const auto number = fmt::format("{}{}", owner.number, parts.size() + 1);
      parts.push_back(size == 1 ? std::move(part.front())
                                : insert(depth, {owner.group, number, owner.at}, std::move(part)));
    }
    return parts;
  }

  Planted insert(std::size_t depth, const Owner& part, std::vector<Planted> children) {
    const auto& level = outline_.levels[depth];
    children = fold(depth, {part.group, part.number + ".", part.at}, std::move(children));
    ScopeWrapping wrapping = level.wrapping;
    wrapping.wrappers = {in_parts(level.wrapping.wrappers.front(), plan_)};
    wrapping.timeout = {};
    for (const Planted& child : children) wrapping.timeout = std::max(wrapping.timeout, child.node.timeout);
    const auto here = level.spread == Spread::here ? part.at : meeting_place(children).value_or(part.at);
    const auto name = fmt::format("part {} of {}", part.number, part.group);
    return {combine(depth, name, wrapping, here, std::move(children)), here};
  }

  /// Returns the place of the first child to which all other children may send views; see Spread::children.
  [[nodiscard]] std::optional<Position> meeting_place(const std::vector<Planted>& children) const {
    const auto found = std::ranges::find_if(children, [&](const Planted& candidate) {
      return std::ranges::all_of(
          children, [&](const Planted& child) { return may_flow(plan_, child.at, candidate.at); });
    });
    if (found == children.end()) return std::nullopt;
    return found->at;
  }

  /// Splits `traces` into groups, in the order of their numbers in the plan. Traces in a group are ascending.
  [[nodiscard]] std::vector<Traces> split(Group group, const Traces& traces) const {
    std::map<std::pair<std::size_t, std::size_t>, Traces> groups;
    for (const auto trace : traces) groups[key_of(group, trace)].push_back(trace);
    std::vector<Traces> parts;
    parts.reserve(groups.size());
    for (auto& [key, part] : groups) parts.push_back(std::move(part));
    return parts;
  }

  [[nodiscard]] std::pair<std::size_t, std::size_t> key_of(Group group, TraceIndex trace) const {
    const NodeIndex node = node_of(trace);
    switch (group) {
      case Group::cluster:
        return {plan_.nodes[node].cluster.value_or(ClusterIndex(no_number)).number(), 0};
      case Group::node:
        return {node.number(), 0};
      // Servers of nodes are groups too; their numbers follow the numbers of the processes.
      case Group::process:
        return {number_of_process(plan_, host_of(trace)), 0};
      case Group::thread:
        return {thread_of(trace).number(), 0};
      case Group::all:
        break;
    }
    return {0, 0};
  }

  [[nodiscard]] std::string group_name(Group group, TraceIndex trace) const {
    const auto& node = plan_.nodes[node_of(trace)];
    switch (group) {
      case Group::cluster:
        return fmt::format("cluster {}", plan_.clusters[node.cluster.value_or(ClusterIndex(0))].name);
      case Group::node:
        return fmt::format("node {}", node.name);
      case Group::process:
        break;
      case Group::thread:
        return fmt::format("thread {}", plan_.threads[thread_of(trace)].name);
      case Group::all:
        return "all";
    }
    return match(
        host_of(trace),
        [&](const ProcessIndex& process) { return fmt::format("process {}", plan_.processes[process].name); },
        [&](const NodeIndex& /*node*/) { return fmt::format("server of node {}", node.name); });
  }

  [[nodiscard]] Position position_of(const ScopeLevel& level, TraceIndex trace) const {
    switch (level.site) {
      case Site::consumer:
        break;
      case Site::gateway:
        return plan_.clusters[plan_.nodes[node_of(trace)].cluster.value_or(ClusterIndex(0))].gateway;
      case Site::node:
        return level.node;
      case Site::server:
        return server_of(level.group, trace);
    }
    return std::nullopt;
  }

  /// Returns the node whose server runs the group of `trace`. The trace elements of one thread may lie on
  /// several nodes. With a level by node or process, the thread has one group on each of these nodes;
  /// without, it has one group, on its own node.
  [[nodiscard]] NodeIndex server_of(Group group, TraceIndex trace) const {
    const bool by_node = std::ranges::any_of(outline_.levels, [](const ScopeLevel& level) {
      return level.group == Group::node || level.group == Group::process;
    });
    if (group != Group::thread || by_node) return node_of(trace);
    return plan_.node_of(plan_.threads[thread_of(trace)].host());
  }

  const Plan& plan_;
  const ScopeOutline& outline_;
  TreeParts parts_;
  std::vector<bool> has_work_;  // by depth: whether any node has a child in the same place
};

Planted grow_written(const WrittenNode& written, const TreeParts& parts, Faults& faults) {
  std::vector<Planted> children;
  for (const WrittenNode& child : written.children) children.push_back(grow_written(child, parts, faults));
  if (children.empty()) children = parts.reads(written.traces, written.name);
  auto below = parts.below(written.at, std::move(children));
  if (written.wrapping.asking == Asking::threads && !has_work_for_threads(below))
    fault_threads(written.wrapping, fmt::format("'{}'", written.name), faults);
  return {TreeParts::wrap(written.name, written.wrapping, std::move(below)), written.at};
}

ScopeNode grow_root(const Plan& plan, const ScopeOutline& outline, Faults& faults) {
  if (outline.tree) {
    const TreeParts parts(plan, outline.direct);
    return parts.below(std::nullopt, grow_written(*outline.tree, parts, faults));
  }
  LevelGrower grower(plan, outline);
  ScopeNode root = grower.grow();
  grower.check_threads(faults);
  return root;
}

// The numbers of all nodes form one range, because each node's numbers follow the numbers of the previous
// node.
ProcessRange numbers_of_all_nodes(const Plan& plan) {
  ProcessRange all = dynamic_numbers(plan, NodeIndex(0));
  all.count *= static_cast<std::uint32_t>(plan.nodes.size());
  return all;
}

/// Makes reading nodes also read dynamic processes.
class DynamicReaders {
 public:
  explicit DynamicReaders(const Plan& plan) : plan_(plan) {}

  void choose(ScopeNode& root) {
    visit(root, {});
    if (has_server_ || first_on_consumer_ == nullptr) return;
    first_on_consumer_->dynamic = numbers_of_all_nodes(plan_);
  }

 private:
  /// `here`: the node that runs the parent; empty means the consumer.
  void visit(ScopeNode& node, const std::string& here) {
    const std::string& place = node.node.empty() ? here : node.node;
    if (node.wrapper == "read") add(node, place);
    for (ScopeNode& child : node.children) visit(child, place);
  }

  void add(ScopeNode& reader, const std::string& place) {
    if (place.empty()) {
      if (first_on_consumer_ == nullptr) first_on_consumer_ = &reader;
      return;
    }
    has_server_ = true;
    const auto node = plan_.find_node(place);
    if (node && has_reader_.insert(place).second) reader.dynamic = dynamic_numbers(plan_, *node);
  }

  const Plan& plan_;
  ScopeNode* first_on_consumer_{nullptr};
  bool has_server_{false};
  std::set<std::string> has_reader_;
};

}  // namespace

ScopeTree grow_tree(const Plan& plan, const ScopeOutline& outline, Faults& faults) {
  ScopeTree tree;
  tree.scope = outline.name;
  tree.next = outline.next;
  tree.batch = outline.batch;
  tree.most = outline.most;
  tree.since = outline.since;
  tree.probes = outline.probes;
  if (outline.own_paths && outline.own_paths->consumer) tree.consumer_pulls = outline.own_paths->threshold;
  tree.root = grow_root(plan, outline, faults);
  if (tree.root.timeout.count() == 0) tree.root.timeout = outline.timeout;
  allow_for_priorities(tree.root, plan);
  if (outline.dynamic && !faults.any()) DynamicReaders(plan).choose(tree.root);
  return tree;
}

}  // namespace eventspace::expansion
