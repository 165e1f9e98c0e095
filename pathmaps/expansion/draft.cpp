#include "pathmaps/expansion/draft.h"

namespace eventspace::expansion {

std::optional<std::size_t> Draft::node_of_thread(std::size_t thread) const {
  if (const auto server = plan.threads[thread].server) return server;
  const auto process = thread_processes[thread];
  return process ? process_nodes[*process] : std::nullopt;
}

std::optional<std::size_t> Draft::node_of_element(const ElementPlan& element) const {
  return element.process ? process_nodes[*element.process] : element.node;
}

}  // namespace eventspace::expansion
