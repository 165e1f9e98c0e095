#include <unistd.h>

#include "paths/links/network_context.h"
#include "tuplespace/system/forked_copy.h"

namespace eventspace {

Network::Network(NetworkLimits limits, WhenLost when_lost, NodeClock clock, std::string session)
    : limits_(limits),
      when_lost_(when_lost),
      clock_(std::move(clock)),
      session_(std::move(session)),
      context_(std::make_unique<Context>()),
      owner_(::getpid()) {
  context_->zmq.set(zmq::ctxopt::max_sockets, 60000);
}

Network::~Network() {
  if (owner_ != ::getpid()) leave_to_parent(context_);
}

}  // namespace eventspace
