#pragma once

// Private to paths/.
// The one place where ZeroMQ's context is seen.

#include <zmq.hpp>

#include "paths/links/network.h"

namespace eventspace {

struct Network::Context {
  zmq::context_t zmq;
};

}  // namespace eventspace
