#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tuplespace/processes/process_origin.h"

namespace eventspace {

/// A server that has taken a socket of this user on this machine (tuplespace/sockets/session_socket.h).
struct ServedSocket {
  ProcessIdentity process;         ///< of the server; its id may be from another namespace, see ProcessSight
  std::chrono::nanoseconds age{};  ///< since it has taken the socket
  std::string session;
  /// As given to SessionSocket: empty for the server of a session without a pathmap, otherwise the endpoint
  /// of a node's or a process's server, such as "local://node/n1".
  std::string server;
};

/// Returns the servers of this user that run on this machine, sorted by session and server. Reads a
/// directory. Entries without information, such as of a server that is about to start, are left out. Throws
/// EnvironmentError if the directory cannot be used.
std::vector<ServedSocket> find_served_sockets();

/// Returns the contents of the file `lock` of a socket; nullopt if it does not name a process. Reads the
/// file.
std::optional<ServedSocket> read_served_socket(const std::filesystem::path& lock);

}  // namespace eventspace
