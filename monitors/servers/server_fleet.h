#pragma once

// Private to monitors/.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pathmaps/plan/plan.h"

namespace eventspace {

/// The servers of a pathmap's nodes, as `up`, `down` and `run` handle them. Those of nodes without `launch`
/// are processes of this machine; for the others the same program is started there with `--node`, behind
/// the words of `launch`.
struct ServerFleet {
  std::shared_ptr<const Plan> plan;
  std::filesystem::path pathmap;  ///< absolute, as other machines and processes are told
  std::string session;
  std::vector<NodeIndex> nodes;  ///< which ones
  bool all_here{false};          ///< they are on this machine, whatever `launch` says
  /// How much longer than its own time-out a command on another machine may take: the way there and back.
  std::chrono::nanoseconds launch_grace{std::chrono::seconds(10)};
  /// How long start_servers waits for the end of a server, or of its launcher, before it kills it.
  std::chrono::nanoseconds stop_patience{std::chrono::seconds(5)};

  [[nodiscard]] const NodePlan& node(NodeIndex index) const { return plan->nodes[index]; }
  [[nodiscard]] bool is_here(NodeIndex index) const { return all_here || node(index).launch.empty(); }
  /// Whether one can ask it from here. This machine counts as outside of all clusters: inside those with a
  /// gateway it reaches nothing but the gateway.
  [[nodiscard]] bool is_in_reach(NodeIndex index) const;
  /// The command that does `verb` (up or down) for one node from the machine that it is on.
  [[nodiscard]] std::vector<std::string> command_there(NodeIndex index, const std::string& verb,
                                                       std::chrono::nanoseconds timeout) const;
};

/// Reads the pathmap. `node`: only that one, which is this machine; empty: all. Throws ConfigurationError.
ServerFleet make_fleet(const std::filesystem::path& pathmap, const std::string& session,
                       const std::string& node);

/// What became of one node's server.
enum class ServerState : std::uint8_t {
  started,
  running,     ///< it was running already
  failed,      ///< it could not be started, or stopped
  taken_back,  ///< started, and stopped again as another failed
  stopped,
  not_running  ///< there was none to stop that `up` had started
};
std::string_view to_string(ServerState state) noexcept;

struct ServerOutcome {
  std::string node;
  std::string endpoint;
  ServerState state{};
  std::int32_t pid{0};  ///< 0 where it is not known
  std::string detail;   ///< of failed: why
};

/// Starts those that do not run yet, and waits until each answers as a server of this session and pathmap.
/// All or nothing: when one fails, or `given_up` says so, those that this call started are stopped again. In
/// the order of `fleet.nodes`; fine when no outcome is `failed`.
std::vector<ServerOutcome> start_servers(const ServerFleet& fleet, std::chrono::nanoseconds timeout,
                                         const std::function<bool()>& given_up);
bool all_run(const std::vector<ServerOutcome>& outcomes) noexcept;

/// Stops those that `up` started: asks, and after `patience` kills.
std::vector<ServerOutcome> stop_servers(const ServerFleet& fleet, std::chrono::nanoseconds patience);

}  // namespace eventspace
