#pragma once

// Private to paths/.
// Keeps ZeroMQ out of network.h, which is installed.

#include <zmq.hpp>

#include "paths/links/network.h"

namespace eventspace {

struct Network::Context {
  zmq::context_t zmq;
};

}  // namespace eventspace
