#pragma once

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

/// The servers of a pathmap's nodes that `up`, `down` or `run` act on. The server of a node without `launch`
/// is a process on this machine. For other nodes, this program is started on their machine with `--node`, by
/// the command `launch`.
struct ServerFleet {
  std::shared_ptr<const Plan> plan;
  std::filesystem::path pathmap;  ///< absolute: other processes and machines get this path
  std::string session;
  std::vector<NodeIndex> nodes;  ///< the nodes whose servers these are
  bool all_here{false};          ///< ignores `launch`: all are on this machine
  /// How long starting a command on another machine and returning from it may take, in addition to its own
  /// time-out.
  std::chrono::nanoseconds launch_grace{std::chrono::seconds(10)};
  /// How long start_servers waits for the end of a server, or of its launcher, before it kills it.
  std::chrono::nanoseconds stop_patience{std::chrono::seconds(5)};

  [[nodiscard]] const NodePlan& node(NodeIndex index) const { return plan->nodes[index]; }
  [[nodiscard]] bool is_here(NodeIndex index) const { return all_here || node(index).launch.empty(); }
  /// Whether this machine can connect to the server. It counts as outside of all clusters, so in a cluster
  /// with a gateway it can only connect to the gateway.
  [[nodiscard]] bool is_in_reach(NodeIndex index) const;
  /// The command that does `verb` (up or down) for one node on the machine of that node.
  [[nodiscard]] std::vector<std::string> command_there(NodeIndex index, const std::string& verb,
                                                       std::chrono::nanoseconds timeout) const;
};

/// Reads the pathmap. If `node` is not empty, the fleet has only that node, and this machine is that node.
/// Throws ConfigurationError.
ServerFleet make_fleet(const std::filesystem::path& pathmap, const std::string& session,
                       const std::string& node);

/// The outcome for the server of one node.
enum class ServerState : std::uint8_t {
  started,
  running,     ///< it was already running
  failed,      ///< it could not be started, or stopped
  taken_back,  ///< started, and stopped again because another failed
  stopped,
  not_running  ///< no server that `up` started was running
};
std::string_view to_string(ServerState state) noexcept;

struct ServerOutcome {
  std::string node;
  std::string endpoint;
  ServerState state{};
  std::int32_t pid{0};  ///< 0 if unknown
  std::string detail;   ///< if failed: why
};

/// Starts the servers that are not running, and waits until each answers as a server of this session and
/// pathmap. If one fails, or `given_up` returns true, stops all servers that this call started. Returns the
/// outcomes in the order of `fleet.nodes`; the call succeeded if none is `failed`.
std::vector<ServerOutcome> start_servers(const ServerFleet& fleet, std::chrono::nanoseconds timeout,
                                         const std::function<bool()>& given_up);
bool all_run(const std::vector<ServerOutcome>& outcomes) noexcept;

/// Stops the servers that `up` started: asks them to end, and kills them after `patience`.
std::vector<ServerOutcome> stop_servers(const ServerFleet& fleet, std::chrono::nanoseconds patience);

/// Closes the port for observers of a session, if this machine has it; returns whether it had. Throws
/// EnvironmentError as ServerFiles does.
bool close_observers_port(const std::string& session, std::chrono::nanoseconds patience);

}  // namespace eventspace
