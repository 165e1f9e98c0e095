#include "pathmaps/expansion/tree_growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "pathmaps/expansion/routes.h"
#include "pathmaps/plan_names.h"

namespace eventspace::expansion {

namespace {

using Traces = std::vector<std::size_t>;
/// A node, or nothing: the consumer.
using Position = std::optional<std::size_t>;

constexpr std::size_t no_number = std::numeric_limits<std::size_t>::max();

class TreeGrower {
 public:
  TreeGrower(const Plan& plan, const ScopeOutline& outline)
      : plan_(plan), outline_(outline), has_work_(outline.levels.size()) {}

  ScopeNode grow() { return grow_group(0, outline_.traces, std::nullopt); }
  /// Whether some node of the level asks something that runs where it does.
  [[nodiscard]] bool has_work(std::size_t depth) const { return has_work_[depth]; }

 private:
  [[nodiscard]] const TracePlan& trace(std::size_t number) const { return plan_.traces[number]; }
  [[nodiscard]] std::size_t thread_of(std::size_t number) const {
    return plan_.paths[trace(number).path].thread;
  }

  ScopeNode grow_group(std::size_t depth, const Traces& traces, Position parent) {
    const auto& level = outline_.levels[depth];
    const auto name = group_name(level.group, traces.front());
    const auto here = position_of(level, traces.front());
    ScopeNode grown = wrapper_node(name, level.wrappers.front());
    grown.asking = level.asking;
    grown.threads = level.threads;
    grown.when_late = level.when_late;
    grown.longest_skip = level.longest_skip;
    grown.children = grow_children(depth + 1, traces, here, name);
    for (const auto& child : grown.children)
      has_work_[depth] = has_work_[depth] || (child.endpoint.empty() && runs_in_one_place(child));
    for (std::size_t i = 1; i < level.wrappers.size(); ++i) {
      ScopeNode outer = wrapper_node(name, level.wrappers[i]);
      outer.children.push_back(std::move(grown));
      grown = std::move(outer);
    }
    grown.timeout = level.timeout.count() == 0 && depth == 0 ? outline_.timeout : level.timeout;
    move_to(grown, here, parent);
    return grown;
  }

  std::vector<ScopeNode> grow_children(std::size_t depth, const Traces& traces, Position here,
                                       const std::string& owner) {
    if (depth == outline_.levels.size()) return grow_reads(traces, here, owner);
    std::vector<ScopeNode> children;
    for (const auto& group : split(outline_.levels[depth].group, traces))
      children.push_back(grow_group(depth, group, here));
    return children;
  }

  std::vector<ScopeNode> grow_reads(const Traces& traces, Position here, const std::string& owner) const {
    if (outline_.direct) return {read_node(fmt::format("read of {}", owner), traces)};
    std::vector<ScopeNode> reads;
    for (const auto& part : split(Group::node, traces)) {
      const auto node = trace(part.front()).node;
      auto read = read_node(fmt::format("read of {} on node {}", owner, plan_.nodes[node].name), part);
      move_to(read, node, here);
      reads.push_back(std::move(read));
    }
    return reads;
  }

  /// The groups in the order of their numbers in the plan, each with its traces ascending.
  [[nodiscard]] std::vector<Traces> split(Group group, const Traces& traces) const {
    std::map<std::pair<std::size_t, std::size_t>, Traces> groups;
    for (const auto number : traces) groups[key_of(group, number)].push_back(number);
    std::vector<Traces> parts;
    parts.reserve(groups.size());
    for (auto& [key, part] : groups) parts.push_back(std::move(part));
    return parts;
  }

  [[nodiscard]] std::pair<std::size_t, std::size_t> key_of(Group group, std::size_t number) const {
    const auto node = trace(number).node;
    switch (group) {
      case Group::cluster:
        return {plan_.nodes[node].cluster.value_or(no_number), 0};
      case Group::node:
        return {node, 0};
      // What lies with a node's server, in no process, comes after the processes.
      case Group::process:
        return {trace(number).process.value_or(no_number), node};
      case Group::thread:
        return {thread_of(number), 0};
      case Group::all:
        break;
    }
    return {0, 0};
  }

  [[nodiscard]] std::string group_name(Group group, std::size_t number) const {
    const auto& node = plan_.nodes[trace(number).node];
    switch (group) {
      case Group::cluster:
        return fmt::format("cluster {}", plan_.clusters[node.cluster.value_or(0)].name);
      case Group::node:
        return fmt::format("node {}", node.name);
      case Group::process:
        break;
      case Group::thread:
        return fmt::format("thread {}", plan_.threads[thread_of(number)].name);
      case Group::all:
        return "all";
    }
    const auto process = trace(number).process;
    return process ? fmt::format("process {}", plan_.processes[*process].name)
                   : fmt::format("server of node {}", node.name);
  }

  [[nodiscard]] Position position_of(const ScopeLevel& level, std::size_t number) const {
    switch (level.site) {
      case Site::consumer:
        break;
      case Site::gateway:
        return plan_.clusters[plan_.nodes[trace(number).node].cluster.value_or(0)].gateway;
      case Site::node:
        return level.node;
      case Site::server:
        return server_of(level.group, number);
    }
    return std::nullopt;
  }

  /// A thread's trace elements may lie on several nodes: where these are levels of their own it is the one
  /// at hand, else the thread's own.
  [[nodiscard]] std::size_t server_of(Group group, std::size_t number) const {
    const bool by_node = std::ranges::any_of(outline_.levels, [](const ScopeLevel& level) {
      return level.group == Group::node || level.group == Group::process;
    });
    if (group != Group::thread || by_node) return trace(number).node;
    return node_of(plan_, plan_.threads[thread_of(number)]);
  }

  static ScopeNode wrapper_node(const std::string& name, const LevelWrapper& wrapper) {
    ScopeNode node;
    node.name = name;
    node.wrapper = wrapper.name;
    node.parameters = wrapper.parameters;
    return node;
  }

  /// Who has the segment with a trace element: a process, or a node's server.
  [[nodiscard]] std::uint32_t recorder_of(std::size_t number) const {
    const auto process = trace(number).process;
    return process ? static_cast<std::uint32_t>(*process) : number_of_node_server(plan_, trace(number).node);
  }

  [[nodiscard]] ScopeNode read_node(std::string name, const Traces& traces) const {
    ScopeNode node;
    node.name = std::move(name);
    node.wrapper = "read";
    for (const auto number : traces)
      node.sources.push_back({.trace = static_cast<std::uint32_t>(number), .process = recorder_of(number)});
    return node;
  }

  void move_to(ScopeNode& node, Position here, Position parent) const {
    if (!here || here == parent) return;
    node.node = plan_.nodes[*here].name;
    node.endpoint = plan_.nodes[*here].endpoint();
    for (const auto gateway : route_between(plan_, parent, *here))
      node.route.push_back(plan_.nodes[gateway].endpoint());
  }

  const Plan& plan_;
  const ScopeOutline& outline_;
  std::vector<bool> has_work_;  // by depth
};

void check_threads(const TreeGrower& grower, const ScopeOutline& outline, Faults& faults) {
  for (std::size_t depth = 0; depth < outline.levels.size(); ++depth) {
    const auto& level = outline.levels[depth];
    if (level.asking == Asking::threads && !grower.has_work(depth))
      faults.add(
          level.ask_place,
          fmt::format("threads have nothing to do here: all that group {} asks runs on other nodes, side by "
                      "side with 'ask: overlapped'; put them on a level that runs with what is below it",
                      to_string(level.group)));
  }
}

}  // namespace

ScopeTree grow_tree(const Plan& plan, const ScopeOutline& outline, Faults& faults) {
  ScopeTree tree;
  tree.scope = outline.name;
  tree.next = outline.next;
  tree.batch = outline.batch;
  tree.most = outline.most;
  tree.since = outline.since;
  TreeGrower grower(plan, outline);
  tree.root = grower.grow();
  check_threads(grower, outline, faults);
  return tree;
}

}  // namespace eventspace::expansion
