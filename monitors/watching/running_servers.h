#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace eventspace {

/// A server of this user on this machine.
struct RunningServer {
  enum class Of : std::uint8_t { node, process, session };
  Of of{Of::node};
  std::string session;
  std::string node;     ///< for a node's server, if its command line contains it
  std::string pathmap;  ///< likewise; absolute
  std::int32_t pid{0};  ///< in another PID namespace that /proc does not show: its id there
  bool is_seen{true};   ///< whether /proc shows its process
  std::chrono::nanoseconds age{};
};

/// Returns the running servers, of nodes, of processes and of sessions without a pathmap, sorted by session.
/// Throws EnvironmentError as find_served_sockets does.
std::vector<RunningServer> running_servers();

/// Returns the sessions other than `session` whose node servers were started with the pathmap `file`, sorted.
/// Files are compared as absolute paths. Empty if that cannot be determined.
std::vector<std::string> other_sessions_of(std::string_view file, std::string_view session);

/// A server of this user on this machine, which may not answer.
struct ServerHere {
  std::string endpoint;
  std::int32_t pid{0};     ///< 0: unknown
  bool is_stopped{false};  ///< by a signal or a debugger: it does not answer until it is continued
};

/// Returns the servers of `session` among those at `endpoints` that run here. Also finds a server at a TCP
/// port, which holds the lock of its name (tuplespace/sockets/session_socket.h). Reads files of each server.
std::vector<ServerHere> servers_here(const std::string& session, const std::set<std::string>& endpoints);

/// Returns those that are stopped.
std::vector<ServerHere> stopped_among(const std::vector<ServerHere>& servers);

/// A server that gives way to the application can be slow on a busy machine, but it holds its lock. A server
/// that is stopped or does not run need not be waited for. Returns how much longer to wait for an answer
/// after `waited`, which is above 0: the same time again, up to a total of 15 s. Nullopt: stop waiting. Pure.
std::optional<std::chrono::nanoseconds> further_patience(const std::vector<ServerHere>& servers,
                                                         std::chrono::nanoseconds waited);

}  // namespace eventspace
