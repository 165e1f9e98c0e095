#include "scopes/scope_tree.h"

namespace eventspace {

std::size_t count_sources(const ScopeNode& node) noexcept {
  std::size_t count = node.sources.size();
  for (const auto& child : node.children) count += count_sources(child);
  return count;
}

}  // namespace eventspace
