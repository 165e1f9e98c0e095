#pragma once

// Private to monitors/.

#include <chrono>
#include <cstdint>
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
  std::int32_t pid{0};
  std::chrono::nanoseconds age{};
};

/// Returns the servers that run: those of nodes, of processes and of sessions without a pathmap, sorted by
/// session. Throws EnvironmentError as find_served_sockets does.
std::vector<RunningServer> running_servers();

/// Returns the sessions but `session` whose node servers were started with the pathmap `file`, sorted. Files
/// are compared as absolute paths. Nothing if that cannot be found out.
std::vector<std::string> other_sessions_of(std::string_view file, std::string_view session);

}  // namespace eventspace
