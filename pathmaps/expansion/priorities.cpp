#include "pathmaps/expansion/priorities.h"

#include <algorithm>
#include <array>
#include <set>

#include "pathmaps/expansion/steps.h"

namespace eventspace::expansion {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

namespace {

// The servers for which the application itself waits: servers with elements or joints, and gateways on the
// route.
std::set<NodeIndex> needed_by_application(const Plan& plan) {
  std::set<NodeIndex> needed;
  for (const ElementPlan& element : plan.elements) {
    if (const auto* const node = std::get_if<NodeIndex>(&element.host)) needed.insert(*node);
  }
  for (const PathPlan& path : plan.paths) needed.insert(path.route.begin(), path.route.end());
  return needed;
}

nanoseconds allowance_below(const ScopeNode& node, const Plan& plan) {
  const auto server = node.node.empty() ? std::nullopt : plan.find_node(node.node);
  nanoseconds allowance = server ? allowance_of(plan.nodes[*server].priority) : 0ns;
  for (const ScopeNode& child : node.children) allowance = std::max(allowance, allowance_below(child, plan));
  return allowance;
}

// `around`: the time-out that applies to the node, without its allowance; `around_allowance`: that allowance.
void allow(ScopeNode& node, const Plan& plan, nanoseconds around, nanoseconds around_allowance) {
  const nanoseconds base = node.timeout.count() > 0 ? node.timeout : around;
  const nanoseconds allowance = allowance_below(node, plan);
  const bool is_part = !node.endpoint.empty();
  if (node.timeout.count() > 0 || (is_part && allowance < around_allowance)) {
    node.timeout = base + allowance;
    around_allowance = allowance;
  }
  if (is_part) node.allowance = around_allowance;
  for (ScopeNode& child : node.children) allow(child, plan, base, around_allowance);
}

}  // namespace

nanoseconds allowance_of(Priority priority) noexcept { return priority == Priority::idle ? 5s : 0s; }

std::optional<Priority> read_priority(const reading::Mapping& mapping) {
  constexpr std::array words{std::pair(std::string_view("idle"), Priority::idle),
                             std::pair(std::string_view("low"), Priority::low),
                             std::pair(std::string_view("normal"), Priority::normal)};
  return mapping.choice("priority", words);
}

void settle_priorities(Draft& draft) {
  const auto needed = needed_by_application(draft.plan);
  for (const NodeIndex node : draft.plan.nodes.indices()) {
    const Priority usual =
        needed.contains(node) ? Priority::normal : draft.usual_priority.value_or(Priority::low);
    draft.plan.nodes[node].priority = draft.node_priorities[node].value_or(usual);
  }
}

void allow_for_priorities(ScopeNode& root, const Plan& plan) { allow(root, plan, root.timeout, 0ns); }

}  // namespace eventspace::expansion
