#include "scopes/scope_tree.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace eventspace {

std::size_t count_sources(const ScopeNode& node) noexcept {
  std::size_t count = node.sources.size();
  for (const auto& child : node.children) count += count_sources(child);
  return count;
}

namespace {

void collect_sources(const ScopeNode& node, std::set<std::pair<std::uint32_t, std::uint32_t>>& sources) {
  for (const SourceRef& source : node.sources) sources.emplace(source.trace, source.process);
  for (const ScopeNode& child : node.children) collect_sources(child, sources);
}

}  // namespace

std::vector<ReadPosition> positions_below(const ScopeNode& node, const std::vector<ReadPosition>& positions) {
  if (positions.empty()) return {};
  std::set<std::pair<std::uint32_t, std::uint32_t>> sources;
  collect_sources(node, sources);
  std::vector<ReadPosition> below;
  std::copy_if(positions.begin(), positions.end(), std::back_inserter(below),
               [&](const ReadPosition& position) {
                 return sources.contains({position.trace, position.process});
               });
  return below;
}

bool runs_in_one_place(const ScopeNode& node) noexcept {
  return std::all_of(node.children.begin(), node.children.end(), [](const ScopeNode& child) {
    return child.endpoint.empty() && runs_in_one_place(child);
  });
}

std::uint64_t share_of(const ScopeNode& node, std::uint64_t most, std::size_t all) noexcept {
  if (most == 0 || all == 0) return most;
  // In two steps, as the product may be larger than any number here.
  const std::uint64_t sources = count_sources(node);
  return std::max<std::uint64_t>(1, most / all * sources + most % all * sources / all);
}

}  // namespace eventspace
