#include "monitors/servers/server_fleet.h"

#include <fmt/format.h>

#include <algorithm>

#include <eventspace/session.h>
#include "monitors/cli/faulty_pathmap.h"
#include "monitors/servers/find_program.h"
#include "pathmaps/plan/plan.h"
#include "pathmaps/plan/plan_lookup.h"

namespace eventspace {

bool ServerFleet::is_in_reach(NodeIndex index) const {
  if (is_here(index) || !node(index).cluster) return true;
  const auto gateway = plan->clusters[*node(index).cluster].gateway;
  return !gateway || *gateway == index;
}

std::vector<std::string> ServerFleet::command_there(NodeIndex index, const std::string& verb,
                                                    std::chrono::nanoseconds timeout) const {
  using std::chrono::milliseconds;
  std::vector<std::string> command = node(index).launch;
  command.insert(command.end(), {own_program().string(), verb, pathmap.string(), "--node", node(index).name,
                                 "--session", session, "--timeout",
                                 fmt::format("{}ms", std::chrono::ceil<milliseconds>(timeout).count())});
  return command;
}

ServerFleet make_fleet(const std::filesystem::path& pathmap, const std::string& session,
                       const std::string& node) {
  ServerFleet fleet;
  fleet.plan = read_pathmap_file(pathmap, "other processes also read it");
  fleet.pathmap = std::filesystem::absolute(pathmap);
  fleet.session = session_name(*fleet.plan, session);
  fleet.all_here = !node.empty();
  if (!node.empty()) {
    fleet.nodes = {require_node(*fleet.plan, node)};
  } else {
    for (const NodeIndex index : fleet.plan->nodes.indices()) fleet.nodes.push_back(index);
  }
  return fleet;
}

std::string_view to_string(ServerState state) noexcept {
  switch (state) {
    case ServerState::started:
      return "started";
    case ServerState::running:
      return "running already";
    case ServerState::failed:
      return "failed";
    case ServerState::taken_back:
      return "stopped again";
    case ServerState::stopped:
      return "stopped";
    case ServerState::not_running:
      return "not running";
  }
  return "unknown";
}

bool all_run(const std::vector<ServerOutcome>& outcomes) noexcept {
  return std::none_of(outcomes.begin(), outcomes.end(),
                      [](const ServerOutcome& outcome) { return outcome.state == ServerState::failed; });
}

}  // namespace eventspace
