#include "paths/links/network_context.h"

namespace eventspace {

Network::Network(NetworkLimits limits, WhenLost when_lost, NodeClock clock)
    : limits_(limits),
      when_lost_(when_lost),
      clock_(std::move(clock)),
      context_(std::make_unique<Context>()) {
  context_->zmq.set(zmq::ctxopt::max_sockets, 60000);
}

Network::~Network() = default;

}  // namespace eventspace
