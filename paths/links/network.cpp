#include <unistd.h>

#include "paths/links/network_context.h"
#include "tuplespace/system/forked_copy.h"

namespace eventspace {
namespace {

std::unique_ptr<Network::Context> make_context() {
  auto shared = SharedContext::get();
  zmq::context_t& zmq = shared->zmq();
  // Clang 14 cannot pass the members of an aggregate through make_unique.
  // NOLINTNEXTLINE(modernize-make-unique)
  return std::unique_ptr<Network::Context>(new Network::Context{std::move(shared), zmq, {}, {}});
}

bool has_keys(const std::string& endpoint, const Network& network) {
  return network.security() != nullptr && endpoint.starts_with("tcp://");
}

zmq::const_buffer key(std::span<const unsigned char, SecretKey::size> bytes) {
  return {bytes.data(), bytes.size()};
}

}  // namespace

Network::Network(NetworkLimits limits, WhenLost when_lost, NodeClock clock, std::string session,
                 std::shared_ptr<const SessionSecurity> security)
    : limits_(limits),
      when_lost_(when_lost),
      clock_(std::move(clock)),
      session_(std::move(session)),
      security_(std::move(security)),
      context_(make_context()),
      owner_(::getpid()) {}

Network::~Network() {
  if (owner_ != ::getpid()) leave_to_parent(context_);
}

void secure_connecting(zmq::socket_t& socket, const std::string& endpoint, Network& network) {
  if (!has_keys(endpoint, network)) return;
  const SessionSecurity& security = *network.security();
  socket.set(zmq::sockopt::curve_serverkey, key(security.server));
  socket.set(zmq::sockopt::curve_publickey, key(security.connecting.open));
  socket.set(zmq::sockopt::curve_secretkey, key(security.connecting.secret.bytes()));
}

void secure_listening(zmq::socket_t& socket, const std::string& endpoint, Network& network) {
  if (!has_keys(endpoint, network)) return;
  const SessionSecurity& security = *network.security();
  Network::Context& context = network.context();
  const std::lock_guard lock(context.mutex);
  if (!context.domain) context.domain.emplace(context.shared->authenticator(), security.admitted);
  socket.set(zmq::sockopt::curve_server, true);
  socket.set(zmq::sockopt::curve_secretkey, key(security.listening.secret.bytes()));
  socket.set(zmq::sockopt::zap_domain, context.domain->name());
  // Without this, ZeroMQ admits each client with any key while there is no authenticator. The authenticator
  // lives as long as this socket, so a ZeroMQ without the option, a draft in 4.3, is also safe.
  constexpr int enforce_domain = 93;  // ZMQ_ZAP_ENFORCE_DOMAIN
  const int yes = 1;
  (void)zmq_setsockopt(socket.handle(), enforce_domain, &yes, sizeof yes);
}

}  // namespace eventspace
