#include "scopes/tree/scope_tree.h"

#include <algorithm>

namespace eventspace {
namespace {

void move_here(ScopeNode& node) {
  node.endpoint.clear();
  node.route.clear();
  node.ask_path.reset();
  node.answer_path.reset();
  for (ScopeNode& child : node.children) move_here(child);
}

}  // namespace

ScopeTree in_one_place(ScopeTree tree) {
  move_here(tree.root);
  tree.consumer_pulls = 0;
  return tree;
}

std::size_t count_sources(const ScopeNode& node) noexcept {
  std::size_t count = node.sources.size();
  for (const auto& child : node.children) count += count_sources(child);
  return count;
}

bool reads_dynamic(const ScopeNode& node) noexcept {
  return node.dynamic.count > 0 || std::any_of(node.children.begin(), node.children.end(), reads_dynamic);
}

std::size_t weight_of(const ScopeNode& node) noexcept {
  constexpr std::size_t of_dynamic = 64;
  std::size_t weight = node.sources.size() + (node.dynamic.count > 0 ? of_dynamic : 0);
  for (const auto& child : node.children) weight += weight_of(child);
  return weight;
}

bool runs_in_one_place(const ScopeNode& node) noexcept {
  return std::all_of(node.children.begin(), node.children.end(), [](const ScopeNode& child) {
    return child.endpoint.empty() && runs_in_one_place(child);
  });
}

std::uint64_t share_of(const ScopeNode& node, std::uint64_t most, std::size_t all) noexcept {
  if (most == 0 || all == 0) return most;
  // In two steps, because most * weight may overflow.
  const std::uint64_t weight = weight_of(node);
  return std::max<std::uint64_t>(1, most / all * weight + most % all * weight / all);
}

}  // namespace eventspace
