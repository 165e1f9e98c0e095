#include "pathmaps/expansion/routes.h"

#include "pathmaps/expansion/steps.h"

namespace eventspace::expansion {

std::vector<NodeIndex> route_between(const Plan& plan, std::optional<NodeIndex> from, NodeIndex to) {
  const auto target = plan.nodes[to].cluster;
  const auto origin = from ? plan.nodes[*from].cluster : std::nullopt;
  if (!target || target == origin) return {};
  const auto gateway = plan.clusters[*target].gateway;
  if (!gateway || *gateway == to) return {};
  return {*gateway};
}

bool may_flow(const Plan& plan, std::optional<NodeIndex> from, std::optional<NodeIndex> to) {
  if (!to || from == to) return true;
  if (!from) return false;
  const auto inside = plan.nodes[*to].cluster;
  const auto gateway = inside ? plan.clusters[*inside].gateway : std::nullopt;
  if (!gateway || *gateway == *to) return true;
  return plan.nodes[*from].cluster == inside && *from != *gateway;
}

void find_routes(Draft& draft) {
  for (auto& path : draft.plan.paths) {
    const auto from = draft.node_of_thread(path.thread);
    const auto to = draft.node_of_element(path.element);
    if (from && to) path.route = route_between(draft.plan, from, *to);
  }
}

}  // namespace eventspace::expansion
