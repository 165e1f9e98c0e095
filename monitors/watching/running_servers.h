#pragma once

// Private to monitors/.

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
  std::string node;     ///< of a node's server, if its command line names it
  std::string pathmap;  ///< the same; absolute
  std::int32_t pid{0};  ///< if it is in another PID namespace that /proc does not show: its id there
  bool is_seen{true};   ///< /proc has its process
  std::chrono::nanoseconds age{};
};

/// Returns the servers that run: those of nodes, of processes and of sessions without a pathmap, sorted by
/// session. Throws EnvironmentError as find_served_sockets does.
std::vector<RunningServer> running_servers();

/// Returns the sessions but `session` whose node servers were started with the pathmap `file`, sorted. Files
/// are compared as absolute paths. Nothing if that cannot be found out.
std::vector<std::string> other_sessions_of(std::string_view file, std::string_view session);

/// A server of this user on this machine, which may not answer.
struct ServerHere {
  std::string endpoint;
  std::int32_t pid{0};     ///< 0: not known
  bool is_stopped{false};  ///< by a signal or a debugger: it answers nothing until it is continued
};

/// Returns the servers of `session` among those at `endpoints` that run here. A server at a TCP port is
/// found, too: it holds the lock of its name (tuplespace/sockets/session_socket.h). Reads files of each
/// server.
std::vector<ServerHere> servers_here(const std::string& session, const std::set<std::string>& endpoints);

/// Returns those that are stopped.
std::vector<ServerHere> stopped_among(const std::vector<ServerHere>& servers);

/// A server that gives way to the application can be slow on a busy machine, but it holds its lock; one that
/// is stopped, or does not run, need not be waited for. Returns for how long to wait for an answer once more
/// after `waited`, which is above 0: as long again, until that makes 15 s. Without a value: no longer. Pure.
std::optional<std::chrono::nanoseconds> further_patience(const std::vector<ServerHere>& servers,
                                                         std::chrono::nanoseconds waited);

}  // namespace eventspace
