#include "pathmaps/plan/plan_lookup.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include <eventspace/error.h>

namespace eventspace {
namespace {

[[noreturn]] void refuse(const Plan& plan, const char* kind, const std::string& name,
                         const std::vector<std::string>& known) {
  throw ConfigurationError(fmt::format("pathmap {} has no {} '{}'; it has {}", plan.name, kind, name,
                                       known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
}

}  // namespace

NodeIndex require_node(const Plan& plan, const std::string& name) {
  if (const auto found = plan.find_node(name)) return *found;
  std::vector<std::string> known;
  for (const NodePlan& node : plan.nodes) known.push_back(node.name);
  refuse(plan, "node", name, known);
}

const CollectivePlan& require_collective(const Plan& plan, const std::string& name) {
  if (const CollectivePlan* const found = plan.find_collective(name)) return *found;
  std::vector<std::string> known;
  for (const CollectivePlan& collective : plan.collectives) known.push_back(collective.name);
  refuse(plan, "collective", name, known);
}

const ScopeTree& require_scope(const Plan& plan, const std::string& name) {
  if (const ScopeTree* const found = plan.find_scope(name)) return *found;
  if (std::ranges::find(plan.scopes_left_out, name) != plan.scopes_left_out.end()) {
    throw ConfigurationError(fmt::format(
        "the recording does not contain scope '{}': its pathmap names shared objects, which scopes "
        "may use and recordings do not contain. Leave out --scope (use --threads, --paths, "
        "--where or --last), or watch the running session",
        name));
  }
  std::vector<std::string> known;
  for (const ScopeTree& tree : plan.scopes) known.push_back(tree.scope);
  refuse(plan, "scope", name, known);
}

}  // namespace eventspace
