#pragma once

// Private to paths/.

#include <string>

#include "paths/links/loop_socket.h"
#include "paths/links/network.h"

namespace eventspace {

/// The socket on which `server` (a name for messages) listens. Throws EnvironmentError when it cannot, saying
/// whether the port is taken.
LoopSocket listen_at(const std::string& endpoint, Network& network, const std::string& server);

}  // namespace eventspace
