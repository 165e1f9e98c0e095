#include "monitors/heartbeat/scope_threads.h"

#include <set>

namespace eventspace {
namespace {

void collect_threads(const ScopeNode& node, const Plan& plan, std::set<std::uint32_t>& threads) {
  for (const SourceRef& source : node.sources)
    threads.insert(plan.paths[plan.traces[TraceIndex(source.trace)].path].thread.number32());
  for (const ScopeNode& child : node.children) collect_threads(child, plan, threads);
}

}  // namespace

std::vector<std::uint32_t> threads_read_by(const ScopeTree& tree, const Plan& plan) {
  std::set<std::uint32_t> threads;
  collect_threads(tree.root, plan, threads);
  return {threads.begin(), threads.end()};
}

}  // namespace eventspace
