#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "collectors/switching/switch_order.h"
#include "pathmaps/plan/plan.h"

namespace eventspace {

/// The result of a SwitchOrder on one node.
struct SwitchedNode {
  enum class By : std::uint8_t {
    server,    ///< the node's server carried it out
    directly,  ///< this process carried it out, through the control files on this machine
    neither    ///< neither could
  };
  NodeIndex node{};
  By by{By::neither};
  std::vector<SwitchedProcess> processes;
  std::string refusal;  ///< if neither: why
};

/// Carries out `order` on `nodes` of a session: through each node's server if that answers within `timeout`,
/// otherwise through the control files of the node's processes on this machine. Contacts all servers at once,
/// servers of a cluster with a gateway through the gateway, like a consumer. Returns the outcomes in the
/// order of `nodes`. Throws EnvironmentError if the directory of segments cannot be read.
std::vector<SwitchedNode> switch_nodes(const Plan& plan, const std::string& session,
                                       const std::vector<NodeIndex>& nodes, const SwitchOrder& order,
                                       std::chrono::nanoseconds timeout);

}  // namespace eventspace
