#include "pathmaps/expansion/scopes/tree_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "pathmaps/expansion/routes.h"
#include "pathmaps/plan/plan_names.h"

namespace eventspace::expansion {

namespace {

ScopeNode wrapper_node(const std::string& name, const WrapperUse& wrapper) {
  ScopeNode node;
  node.name = name;
  node.wrapper = wrapper.name;
  node.parameters = wrapper.parameters;
  return node;
}

}  // namespace

std::vector<Planted> TreeParts::reads(const Traces& traces, const std::string& owner) const {
  std::vector<Planted> reads;
  if (direct_) {
    reads.push_back({read(fmt::format("read of {}", owner), traces), std::nullopt});
    return reads;
  }
  std::map<NodeIndex, Traces> by_node;
  for (const auto trace : traces) by_node[plan_.node_of(plan_.traces[trace].host)].push_back(trace);
  for (const auto& [node, part] : by_node)
    reads.push_back({read(fmt::format("read of {} on node {}", owner, plan_.nodes[node].name), part), node});
  return reads;
}

ScopeNode TreeParts::read(std::string name, const Traces& traces) const {
  ScopeNode node;
  node.name = std::move(name);
  node.wrapper = "read";
  for (const auto trace : traces)
    node.sources.push_back(
        {.trace = trace.number32(), .process = number_of_process(plan_, plan_.traces[trace].host)});
  return node;
}

ScopeNode TreeParts::wrap(const std::string& name, const ScopeWrapping& wrapping,
                          std::vector<ScopeNode> children) {
  ScopeNode node = wrapper_node(name, wrapping.wrappers.front());
  node.asking = wrapping.asking;
  node.threads = wrapping.threads;
  node.when_late = wrapping.when_late;
  node.longest_skip = wrapping.longest_skip;
  node.children = std::move(children);
  for (std::size_t i = 1; i < wrapping.wrappers.size(); ++i) {
    ScopeNode outer = wrapper_node(name, wrapping.wrappers[i]);
    outer.children.push_back(std::move(node));
    node = std::move(outer);
  }
  node.timeout = wrapping.timeout;
  return node;
}

ScopeNode TreeParts::below(Position parent, Planted part) const {
  ScopeNode node = std::move(part.node);
  if (!part.at || part.at == parent) return node;
  node.node = plan_.nodes[*part.at].name;
  node.endpoint = plan_.nodes[*part.at].endpoint();
  for (const auto gateway : route_between(plan_, parent, *part.at))
    node.route.push_back(plan_.nodes[gateway].endpoint());
  return node;
}

std::vector<ScopeNode> TreeParts::below(Position parent, std::vector<Planted> parts) const {
  std::vector<ScopeNode> nodes;
  nodes.reserve(parts.size());
  for (Planted& part : parts) nodes.push_back(below(parent, std::move(part)));
  return nodes;
}

bool has_work_for_threads(const std::vector<ScopeNode>& children) {
  return std::ranges::any_of(
      children, [](const ScopeNode& child) { return child.endpoint.empty() && runs_in_one_place(child); });
}

}  // namespace eventspace::expansion
