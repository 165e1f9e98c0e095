#include "pathmaps/expansion/draft.h"

#include "pathmaps/plan/match.h"

namespace eventspace::expansion {

ElementIndex Draft::add_element(ElementPlan element) {
  element_hosts.push_back(std::nullopt);
  return plan.elements.push_back(std::move(element));
}

void Draft::place_element(ElementIndex element, std::optional<Host> host) {
  element_hosts[element] = host;
  plan.elements[element].host = host.value_or(Host{});
}

std::optional<NodeIndex> Draft::node_of(const std::optional<Host>& host) const {
  if (!host) return std::nullopt;
  return match(
      *host, [this](const ProcessIndex& process) { return process_nodes[process]; },
      [](const NodeIndex& node) { return std::optional(node); });
}

std::optional<NodeIndex> Draft::node_of_thread(ThreadIndex thread) const {
  return node_of(thread_hosts[thread]);
}

std::optional<NodeIndex> Draft::node_of_element(ElementIndex element) const {
  return node_of(element_hosts[element]);
}

}  // namespace eventspace::expansion
