#pragma once

#include <memory>
#include <vector>

#include "pathmaps/sessions/node_server.h"

namespace eventspace::test {

inline std::unique_ptr<NodeServer> started_server(const std::shared_ptr<const Plan>& plan, NodeIndex node) {
  auto server = std::make_unique<NodeServer>(plan, node, NodeServer::Options{});
  server->start();
  return server;
}

/// Starts the servers of all nodes of a plan in this process, in the order of the nodes.
inline std::vector<std::unique_ptr<NodeServer>> started_servers(const std::shared_ptr<const Plan>& plan) {
  std::vector<std::unique_ptr<NodeServer>> servers;
  for (const NodeIndex node : plan->nodes.indices()) servers.push_back(started_server(plan, node));
  return servers;
}

}  // namespace eventspace::test
