#include "monitors/watching/scope_threads.h"

#include <set>

namespace eventspace {
namespace {

void collect_threads(const ScopeNode& node, const Plan& plan, std::set<std::uint32_t>& threads) {
  for (const SourceRef& source : node.sources)
    threads.insert(static_cast<std::uint32_t>(plan.paths[plan.traces[source.trace].path].thread));
  for (const ScopeNode& child : node.children) collect_threads(child, plan, threads);
}

}  // namespace

std::vector<std::uint32_t> threads_read_by(const ScopeTree& tree, const Plan& plan) {
  std::set<std::uint32_t> threads;
  collect_threads(tree.root, plan, threads);
  return {threads.begin(), threads.end()};
}

}  // namespace eventspace
