#include "scopes/tree/scope_tree.h"

#include <algorithm>

namespace eventspace {

std::size_t count_sources(const ScopeNode& node) noexcept {
  std::size_t count = node.sources.size();
  for (const auto& child : node.children) count += count_sources(child);
  return count;
}

bool runs_in_one_place(const ScopeNode& node) noexcept {
  return std::all_of(node.children.begin(), node.children.end(), [](const ScopeNode& child) {
    return child.endpoint.empty() && runs_in_one_place(child);
  });
}

std::uint64_t share_of(const ScopeNode& node, std::uint64_t most, std::size_t all) noexcept {
  if (most == 0 || all == 0) return most;
  // In two steps, because most * sources may overflow.
  const std::uint64_t sources = count_sources(node);
  return std::max<std::uint64_t>(1, most / all * sources + most % all * sources / all);
}

}  // namespace eventspace
