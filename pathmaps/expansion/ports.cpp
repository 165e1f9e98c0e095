#include <fmt/format.h>

#include <map>

#include "pathmaps/expansion/steps.h"

namespace eventspace::expansion {

namespace {

/// Servers by the host and port that they want.
class PortTable {
 public:
  explicit PortTable(Faults& faults) : faults_(faults) {}

  void take(const std::string& host, std::uint16_t port, const std::string& owner, const Place& place) {
    if (host.empty() || port == 0) return;
    const auto [first, added] =
        owners_.emplace(std::pair(host == "localhost" ? "127.0.0.1" : host, port), Owner{owner, place});
    if (added) return;
    faults_.add(place, fmt::format("port clash: {} wants port {} of {}, which {} has ({})", owner, port, host,
                                   first->second.name, faults_.describe(first->second.place, place)));
  }

 private:
  struct Owner {
    std::string name;
    Place place;
  };
  Faults& faults_;
  std::map<std::pair<std::string, std::uint16_t>, Owner> owners_;
};

void check_clashes(Draft& draft) {
  PortTable table(draft.faults);
  const auto& plan = draft.plan;
  for (std::size_t i = 0; i < plan.nodes.size(); ++i)
    table.take(plan.nodes[i].host, plan.nodes[i].port, fmt::format("node '{}'", plan.nodes[i].name),
               draft.node_ports[i]);
  for (std::size_t i = 0; i < plan.processes.size(); ++i) {
    const auto node = draft.process_nodes[i];
    if (!node) continue;
    table.take(plan.nodes[*node].host, plan.processes[i].port,
               fmt::format("process '{}'", plan.processes[i].name), draft.process_ports[i]);
  }
}

std::string place_of(const Plan& plan, const ThreadPlan& thread, std::optional<std::size_t> process) {
  return process ? fmt::format("of process '{}'", plan.processes[*process].name)
                 : fmt::format("on the server of node '{}'", plan.nodes[*thread.server].name);
}

/// A process without a port whose element a thread elsewhere uses; reported once for each process.
void check_needed(Draft& draft) {
  const auto& plan = draft.plan;
  std::vector<bool> reported(plan.processes.size(), false);
  for (const auto& path : plan.paths) {
    if (plan.elements[path.element].room) continue;  // its users need no server
    const auto host = plan.elements[path.element].process;
    const auto& thread = plan.threads[path.thread];
    const auto user = draft.thread_processes[path.thread];
    if (!host || host == user || !(user || thread.server)) continue;
    if (plan.processes[*host].port != 0 || reported[*host]) continue;
    reported[*host] = true;
    draft.faults.add(
        draft.process_ports[*host],
        fmt::format("process '{}' has no port, but hosts {} '{}' that {} '{}' {} uses; expected a "
                    "port from 1 to 65535",
                    plan.processes[*host].name, plan.elements[path.element].joint ? "joint" : "element",
                    plan.elements[path.element].config.name, thread.joint ? "joint" : "thread", thread.name,
                    place_of(plan, thread, user)));
  }
}

}  // namespace

void check_ports(Draft& draft) {
  check_clashes(draft);
  check_needed(draft);
}

}  // namespace eventspace::expansion
