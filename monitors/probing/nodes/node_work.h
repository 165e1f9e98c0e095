#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "monitors/probing/nodes/node_network.h"
#include "monitors/probing/work/group_work.h"

namespace eventspace {

/// Carries out orders on all nodes at once, through a network of streams: an order is one packet that goes
/// down the tree, and the answers are merged into one on their way up.
class GroupWorkOnNodes final : public GroupWork {
 public:
  /// Throws as NodeNetwork does.
  explicit GroupWorkOnNodes(const NodeChoice& nodes);

  [[nodiscard]] const NodeNetwork& network() const noexcept { return network_; }

  GroupAnswer carry_out(const GroupOrder& order) override;
  void wait(std::chrono::nanoseconds time) override { network_.wait(time); }

 private:
  NodeNetwork network_;
  std::uint32_t stream_;
};

/// The work on these nodes, or here.
std::unique_ptr<GroupWork> work_on(const NodeChoice& nodes);

/// The processes for a command. With a pathmap and without a choice, the processes of its session.
ProcessChoice processes_on(const NodeChoice& nodes, ProcessChoice processes);

}  // namespace eventspace
