#pragma once

// Private to tuplespace/.

#include <cstdint>
#include <string>
#include <vector>

namespace eventspace {

/// A server that has taken a socket of this user on this machine (tuplespace/system/session_socket.h).
struct ServedSocket {
  std::int32_t pid{0};
  std::string session;
  /// As given to SessionSocket: empty for the server of a session without a pathmap, else the endpoint of a
  /// node's or a process's server, such as "local://node/n1".
  std::string server;
};

/// Returns the servers of this user that run on this machine, sorted by session and server. Reads a
/// directory. Entries that say nothing, such as that of a server that is about to start, are left out. Throws
/// EnvironmentError if the directory cannot be used.
std::vector<ServedSocket> find_served_sockets();

}  // namespace eventspace
