#include "pathmaps/expansion/scopes/tree_growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "pathmaps/expansion/routes.h"
#include "pathmaps/expansion/scopes/k_ary.h"
#include "pathmaps/plan/plan_names.h"

namespace eventspace::expansion {

namespace {

constexpr std::size_t no_number = std::numeric_limits<std::size_t>::max();

void fault_threads(const ScopeWrapping& wrapping, const std::string& who, Faults& faults) {
  faults.add(wrapping.ask_place,
             fmt::format("threads have nothing to do here: all that {} asks runs on other nodes, side by "
                         "side with 'ask: overlapped'; put them where what is below runs in the same place",
                         who));
}

class LevelGrower {
 public:
  LevelGrower(const Plan& plan, const ScopeOutline& outline)
      : plan_(plan), outline_(outline), parts_(plan, outline.direct), has_work_(outline.levels.size()) {}

  ScopeNode grow() { return parts_.below(std::nullopt, grow_group(0, outline_.traces)); }

  /// A level whose threads have nothing to do is a fault.
  void check_threads(Faults& faults) const {
    for (std::size_t depth = 0; depth < outline_.levels.size(); ++depth) {
      const auto& level = outline_.levels[depth];
      if (level.wrapping.asking == Asking::threads && !has_work_[depth])
        fault_threads(level.wrapping, fmt::format("group {}", to_string(level.group)), faults);
    }
  }

 private:
  [[nodiscard]] const TracePlan& trace(std::size_t number) const { return plan_.traces[number]; }
  [[nodiscard]] std::size_t thread_of(std::size_t number) const {
    return plan_.paths[trace(number).path].thread;
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

  /// Whose children are folded: a group, or the part of one with the number "1.2.", say.
  struct Owner {
    std::string group;
    std::string number;
    Position at;  ///< of the group
  };

  /// Of children that are more than the level's arity, the parts that stand for them.
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

  /// Where the first of `children` runs that all others may send their data to.
  [[nodiscard]] std::optional<Position> meeting_place(const std::vector<Planted>& children) const {
    const auto found = std::ranges::find_if(children, [&](const Planted& candidate) {
      return std::ranges::all_of(
          children, [&](const Planted& child) { return may_flow(plan_, child.at, candidate.at); });
    });
    if (found == children.end()) return std::nullopt;
    return found->at;
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

  const Plan& plan_;
  const ScopeOutline& outline_;
  TreeParts parts_;
  std::vector<bool> has_work_;  // by depth: whether some node asks something that runs where it does
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

}  // namespace

ScopeTree grow_tree(const Plan& plan, const ScopeOutline& outline, Faults& faults) {
  ScopeTree tree;
  tree.scope = outline.name;
  tree.next = outline.next;
  tree.batch = outline.batch;
  tree.most = outline.most;
  tree.since = outline.since;
  tree.root = grow_root(plan, outline, faults);
  if (tree.root.timeout.count() == 0) tree.root.timeout = outline.timeout;
  return tree;
}

}  // namespace eventspace::expansion
