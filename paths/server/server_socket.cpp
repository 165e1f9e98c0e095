#include "paths/server/server_socket.h"

#include <fmt/format.h>

#include <cerrno>
#include <zmq.hpp>

#include "paths/links/network_context.h"
#include "tuplespace/system/error.h"

namespace eventspace {

LoopSocket listen_at(const std::string& endpoint, Network& network, const std::string& server) {
  LoopSocket router(network.context().zmq, zmq::socket_type::router);
  zmq::socket_t& socket = router.zmq();
  const NetworkLimits& limits = network.limits();
  socket.set(zmq::sockopt::linger, 200);             // ms, to send the last replies
  socket.set(zmq::sockopt::router_mandatory, true);  // so that sends to peers that are gone fail
  // A message slightly above the limit is answered with an error; a much larger one ends the connection
  // before its bytes are stored.
  socket.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(limits.message_bytes + (1u << 20)));
  socket.set(zmq::sockopt::sndhwm, static_cast<int>(limits.queued_messages));
  socket.set(zmq::sockopt::rcvhwm, static_cast<int>(limits.queued_messages));
  router.notice_vanished_hosts();
  try {
    socket.bind(endpoint);
  } catch (const zmq::error_t& error) {
    if (error.num() == EADDRINUSE) {
      throw EnvironmentError(
          fmt::format("{} cannot listen on {}: the port is taken; end the process that uses it, or change "
                      "the port in the "
                      "pathmap",
                      server, endpoint));
    }
    throw EnvironmentError(fmt::format("{} cannot listen on {}: {}", server, endpoint, error.what()));
  }
  return router;
}

}  // namespace eventspace
