#pragma once

// Private to paths/.

#include <string>

#include "paths/links/loop_socket.h"
#include "paths/links/network.h"

namespace eventspace {

/// Returns a socket that listens at `endpoint`. `server` is its name in messages. Throws EnvironmentError if
/// that fails; the text says if the port is taken.
LoopSocket listen_at(const std::string& endpoint, Network& network, const std::string& server);

}  // namespace eventspace
