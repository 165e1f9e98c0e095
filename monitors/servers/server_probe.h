#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "pathmaps/sessions/consumer.h"

namespace eventspace {

/// The process that answers at the endpoint of a node's server.
struct ServerProbe {
  enum class Answer : std::uint8_t { none, ours, foreign } answer{Answer::none};
  std::int32_t pid{0};  ///< 0 if unknown
  std::string who;      ///< if foreign: "port 7101 is taken by the server of node n1 of session 'x' (pid 17)"
};

/// Pings the server and waits for the answer for at most `time`. A server is `ours` if it is of the
/// consumer's session and its pathmap means the same, and `foreign` if it speaks another version of the
/// protocol.
ServerProbe probe_server(Consumer& consumer, NodeIndex node, std::chrono::nanoseconds time);

/// The same for a server on this machine, which is `ours` only if it is also a server of this user: any user
/// can listen at a port and answer like this user's server, but only this user can take its name in the
/// directory (tuplespace/sockets/session_socket.h).
ServerProbe probe_server_here(Consumer& consumer, NodeIndex node, std::chrono::nanoseconds time);

}  // namespace eventspace
