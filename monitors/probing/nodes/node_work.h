#pragma once

// Private to monitors/.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "monitors/probing/nodes/node_choice.h"
#include "monitors/probing/work/group_work.h"
#include "scopes/streams/launching/launched_network.h"

namespace eventspace {

/// Carries out orders on all nodes at once, through a network of streams: an order is one packet that goes
/// down the tree, and the answers are merged to one on their way up. The network's processes are started on
/// the nodes by ssh, or as the pathmap says, as this user; they end with this object. So the work on a
/// machine is done with this user's rights there, and who else reaches a port of the network has not its
/// keys.
class GroupWorkOnNodes final : public GroupWork {
 public:
  /// Starts the network. Nodes that cannot be reached are among failures(), and left out. Throws
  /// ConfigurationError, and EnvironmentError if no node can be reached.
  explicit GroupWorkOnNodes(const NodeChoice& nodes);

  [[nodiscard]] std::size_t nodes() const noexcept { return nodes_; }
  [[nodiscard]] const std::vector<std::string>& failures() const noexcept { return failures_; }

  GroupAnswer carry_out(const GroupOrder& order) override;
  void wait(std::chrono::nanoseconds time) override;

 private:
  [[nodiscard]] std::string host_of(RankSet::Rank rank) const;

  std::unique_ptr<streams::LaunchedNetwork> network_;
  std::size_t nodes_{0};
  std::uint32_t stream_{0};
  std::vector<std::string> failures_;
};

/// The work on these nodes, or here.
std::unique_ptr<GroupWork> work_on(const NodeChoice& nodes);

/// The processes that a command is for: without a choice, and with a pathmap, those of its session.
ProcessChoice processes_on(const NodeChoice& nodes, ProcessChoice processes);

}  // namespace eventspace
