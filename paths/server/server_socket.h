#pragma once

#include <string>

#include "paths/links/network.h"
#include "paths/sockets/connection_watch.h"
#include "paths/sockets/loop_socket.h"

namespace eventspace {

/// Returns a socket that listens at `endpoint`. `server` is its name in messages. Throws EnvironmentError if
/// that fails, with its own text if the port is taken.
LoopSocket listen_at(const std::string& endpoint, Network& network, const std::string& server);

/// Returns when the endpoint is free again, within some milliseconds: ZeroMQ closes sockets in the
/// background, while the process has others. Connections stay. `connections` must be those of `router`.
void stop_listening(LoopSocket& router, ConnectionWatch& connections);

}  // namespace eventspace
