#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "pathmaps/expansion/machines.h"
#include "pathmaps/expansion/routes.h"
#include "pathmaps/expansion/steps.h"
#include "pathmaps/plan/match.h"

namespace eventspace::expansion {

namespace {

// Finds servers with the same host and port.
class PortTable {
 public:
  explicit PortTable(Faults& faults) : faults_(faults) {}

  void take(const std::string& host, std::uint16_t port, const std::string& owner, const Place& place) {
    if (host.empty() || port == 0) return;
    const auto [first, added] =
        owners_.emplace(std::pair(host == "localhost" ? "127.0.0.1" : host, port), Owner{owner, place});
    if (added) return;
    faults_.add(place,
                fmt::format("port conflict: {} needs port {} of {}, which {} already has ({})", owner, port,
                            host, first->second.name, faults_.describe(first->second.place, place)));
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
  for (const NodeIndex i : plan.nodes.indices())
    table.take(plan.nodes[i].host, plan.nodes[i].port, fmt::format("node '{}'", plan.nodes[i].name),
               draft.node_ports[i]);
  for (const ProcessIndex i : plan.processes.indices()) {
    const auto node = draft.process_nodes[i];
    if (!node) continue;
    table.take(plan.nodes[*node].host, plan.processes[i].port,
               fmt::format("process '{}'", plan.processes[i].name), draft.process_ports[i]);
  }
}

std::string place_of(const Plan& plan, const Host& host) {
  return match(
      host,
      [&](const ProcessIndex& process) {
        return fmt::format("of process '{}'", plan.processes[process].name);
      },
      [&](const NodeIndex& node) {
        return fmt::format("on the server of node '{}'", plan.nodes[node].name);
      });
}

// Returns the process that hosts the end of the path, if the path needs a server in that process.
std::optional<ProcessIndex> serving_process(const Draft& draft, const PathPlan& path) {
  const auto& host = draft.element_hosts[path.element];
  const auto& user = draft.thread_hosts[path.thread];
  if (!host || !user || host == user || draft.plan.elements[path.element].is_shared()) return std::nullopt;
  const auto* const process = std::get_if<ProcessIndex>(&*host);
  return process != nullptr ? std::optional(*process) : std::nullopt;
}

// Without a port, only processes on its own machine reach a server. Any program with the pathmap may contact
// any node, so all nodes must be on one machine then.
void check_nodes(Draft& draft) {
  const auto& nodes = draft.plan.nodes;
  const NodePlan& first = nodes.front();
  const auto is_elsewhere = [&](const NodePlan& node) {
    return !node.host.empty() && !first.host.empty() && !is_one_machine(node.host, first.host);
  };
  const auto other = std::ranges::find_if(nodes, is_elsewhere);
  if (other == nodes.end()) return;
  for (const NodeIndex i : nodes.indices()) {
    if (nodes[i].port != 0 || nodes[i].host.empty()) continue;
    const NodePlan& away = is_elsewhere(nodes[i]) ? first : *other;
    draft.faults.add(draft.node_ports[i],
                     fmt::format("node '{}' on host {} has no port, but node '{}' is on host {}: nodes on "
                                 "several hosts need ports; expected a port from 1 to 65535",
                                 nodes[i].name, nodes[i].host, away.name, away.host));
  }
}

// Whether the user of the path reaches the process through local sockets: the user and all gateways are on
// the process's machine.
bool meet_locally(const Draft& draft, const PathPlan& path, ProcessIndex process) {
  const auto& plan = draft.plan;
  const auto user = draft.node_of_thread(path.thread);
  if (!user) return true;  // reported already
  const NodeIndex node = plan.processes[process].node;
  const auto is_here = [&](NodeIndex other) {
    return is_one_machine(plan.nodes[other].host, plan.nodes[node].host);
  };
  return is_here(*user) && std::ranges::all_of(route_between(plan, *user, node), is_here);
}

// Gives a local socket to each process without a port whose elements are used by threads of other processes,
// and reports the process if such a thread is on another machine.
void check_processes(Draft& draft) {
  auto& plan = draft.plan;
  IndexedVector<ProcessPlan, bool> reported(plan.processes.size(), false);
  for (const auto& path : plan.paths) {
    const auto host = serving_process(draft, path);
    if (!host || plan.processes[*host].port != 0 || reported[*host]) continue;
    plan.processes[*host].endpoint = local_endpoint_of_process(plan.processes[*host].name);
    if (meet_locally(draft, path, *host)) continue;
    reported[*host] = true;
    const auto& element = plan.elements[path.element];
    const auto& thread = plan.threads[path.thread];
    draft.faults.add(
        draft.process_ports[*host],
        fmt::format("process '{}' has no port, but hosts {} '{}' that {} '{}' {} uses on another machine; "
                    "expected a port from 1 to 65535",
                    plan.processes[*host].name, element.joint() ? "joint" : "element", element.name,
                    thread.joint() ? "joint" : "thread", thread.name,
                    place_of(plan, *draft.thread_hosts[path.thread])));
  }
}

}  // namespace

void check_ports(Draft& draft) {
  check_clashes(draft);
  check_nodes(draft);
  check_processes(draft);
}

}  // namespace eventspace::expansion
