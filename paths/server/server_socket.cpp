#include "paths/server/server_socket.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <zmq.hpp>

#include <eventspace/error.h>
#include "paths/links/local_endpoint.h"
#include "paths/links/network_context.h"
#include "paths/sockets/free_descriptors.h"

namespace eventspace {
namespace {

// The directory of the socket already keeps other users out; this also works if its mode was changed.
void admit_own_user(zmq::socket_t& socket) {
  const uid_t user = ::geteuid();
  if (zmq_setsockopt(socket.handle(), ZMQ_IPC_FILTER_UID, &user, sizeof user) != 0)
    throw EnvironmentError("this ZeroMQ cannot check the user of a local connection");
}

}  // namespace

LoopSocket listen_at(const std::string& endpoint, Network& network, const std::string& server) {
  require_descriptors(descriptors_of_a_socket, server);
  const std::string address = address_of(endpoint, network.session());
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
  const bool is_local = address.starts_with("ipc://");
  if (is_local) admit_own_user(socket);
  secure_listening(socket, endpoint, network);
  try {
    socket.bind(address);
  } catch (const zmq::error_t& error) {
    if (error.num() == EADDRINUSE && !is_local) {
      throw EnvironmentError(
          fmt::format("{} cannot listen on {}: the port is taken; end the process that uses it, or change "
                      "the port in the pathmap",
                      server, endpoint));
    }
    throw EnvironmentError(fmt::format("{} cannot listen on {}: {}", server, address, error.what()));
  }
  return router;
}

void stop_listening(LoopSocket& router, ConnectionWatch& connections) {
  constexpr std::chrono::seconds longest{2};
  try {
    router.zmq().unbind(router.zmq().get(zmq::sockopt::last_endpoint));
  } catch (const zmq::error_t&) {
    return;  // it does not listen
  }
  connections.await_close(longest);
}

}  // namespace eventspace
