#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "monitors/probing/nodes/node_choice.h"
#include "scopes/streams/launching/launched_network.h"

namespace eventspace {

/// An agent (group_agent.cpp) on each of several machines, and the network of streams between them and this
/// process. Agents are started by ssh, or as the pathmap says, as this user; they end with this object. So an
/// agent works with this user's rights on its machine, and other users who reach a port of the network do not
/// have its keys. Not thread-safe.
class NodeNetwork {
 public:
  struct Answer {
    streams::Packet packet;
    std::vector<std::string> silent;  ///< machines that have not answered
  };

  /// Starts the network. Leaves out nodes that cannot be reached, which are among failures(). Throws
  /// ConfigurationError, and EnvironmentError if no node can be reached.
  explicit NodeNetwork(const NodeChoice& nodes);

  [[nodiscard]] std::size_t nodes() const noexcept { return nodes_; }
  [[nodiscard]] const std::vector<std::string>& failures() const noexcept { return failures_; }
  /// Prints the failures on standard error.
  void report_failures() const;

  /// Opens a stream to all agents, whose answers are merged by this filter. Returns its number.
  std::uint32_t open(const char* filter);
  /// Sends an order to all agents, as one message down the tree, and waits for their merged answer. Throws
  /// EnvironmentError if it cannot be sent to any agent, or no agent answers.
  Answer ask(std::uint32_t stream, const streams::Packet& order);
  /// Serves the network for this time.
  void wait(std::chrono::nanoseconds time);

 private:
  [[nodiscard]] std::string host_of(RankSet::Rank rank) const;

  std::unique_ptr<streams::LaunchedNetwork> network_;
  std::size_t nodes_{0};
  std::vector<std::string> failures_;
};

}  // namespace eventspace
