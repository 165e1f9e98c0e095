#include "monitors/web/documents/places.h"

#include "pathmaps/plan/plan_names.h"

namespace eventspace::web {
namespace {

std::map<std::uint32_t, std::uint32_t> reported_processes(const top::State& state) {
  std::map<std::uint32_t, std::uint32_t> processes;
  for (const auto& [number, report] : state.processes)
    for (const ThreadReport& thread : report.threads) processes.emplace(thread.thread, number);
  return processes;
}

}  // namespace

Places::Places(const Looked& looked) {
  const std::map<std::uint32_t, std::uint32_t> reported = reported_processes(*looked.state);
  for (const top::ThreadState& thread : looked.state->threads) {
    const auto found = reported.find(thread.health.thread);
    const auto planned = process_of_thread(*looked.plan, thread.health.thread);
    const auto process = found != reported.end() ? std::optional(found->second) : planned;
    of_threads.push_back(process ? std::optional(index_of(*process, looked)) : std::nullopt);
  }
}

std::size_t Places::index_of(std::uint32_t process, const Looked& looked) {
  const auto [at, is_new] = processes_.emplace(process, numbers.size());
  if (!is_new) return at->second;
  numbers.push_back(process);
  const std::string node(looked.names->node_of_process(process));
  const auto [node_at, is_new_node] = nodes_.emplace(node, nodes.size());
  if (is_new_node) nodes.push_back(node);
  of_processes.push_back(node_at->second);
  return at->second;
}

}  // namespace eventspace::web
