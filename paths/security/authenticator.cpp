#include "paths/security/authenticator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>

#include <eventspace/error.h>
#include "tuplespace/system/library_thread.h"

namespace eventspace {
namespace {

// The frames of a request. A peer chooses only the identity and the credentials; ZeroMQ writes the others.
enum Frame : std::size_t { version, sequence, domain, address, identity, mechanism, key, frames };

constexpr const char* zap_endpoint = "inproc://zeromq.zap.01";

/// Receives one message; its frames beyond the ones above are dropped. Returns nothing at the end of the
/// context.
std::optional<std::vector<std::string>> receive_from(zmq::socket_t& socket) {
  std::vector<std::string> request;
  try {
    for (bool more = true; more;) {
      zmq::message_t frame;
      if (!socket.recv(frame)) return std::nullopt;
      more = frame.more();
      if (request.size() <= frames) request.push_back(frame.to_string());
    }
  } catch (const zmq::error_t& error) {
    if (error.num() == EINTR) return std::vector<std::string>{};
    return std::nullopt;
  }
  return request;
}

}  // namespace

std::string_view to_string(Role role) noexcept { return role == Role::owner ? "owner" : "observer"; }

Authenticator::Authenticator(zmq::context_t& context) : socket_(context, zmq::socket_type::rep) {
  socket_.set(zmq::sockopt::linger, 0);
  try {
    socket_.bind(zap_endpoint);
  } catch (const zmq::error_t& error) {
    throw EnvironmentError(fmt::format("cannot answer for the keys of peers: {}", error.what()));
  }
  thread_ = start_library_thread([this] { run(); });
}

Authenticator::~Authenticator() { thread_.join(); }

void Authenticator::run() {
  while (const auto request = receive_from(socket_)) {
    if (!request->empty()) answer(*request);
  }
  socket_.close();  // by its thread: the context ends when all its sockets are closed
}

void Authenticator::answer(const Request& request) {
  const Verdict verdict = judge(request);
  const std::string user = verdict.admitted ? std::string(to_string(verdict.role)) : "";
  const std::array<std::string, 6> reply{"1.0",
                                         request.size() > sequence ? request[sequence] : "",
                                         verdict.admitted ? "200" : "400",
                                         verdict.admitted ? "OK" : "this key is not listed",
                                         user,
                                         ""};
  try {
    for (const std::string& frame : reply) {
      const bool last = &frame == &reply.back();
      socket_.send(zmq::buffer(frame), last ? zmq::send_flags::none : zmq::send_flags::sndmore);
    }
  } catch (const zmq::error_t&) {
    // The connection or the context has ended: the peer is not admitted, and the next receive detects the
    // end.
  }
}

Authenticator::Verdict Authenticator::judge(const Request& request) {
  PublicKey proved{};
  if (request.size() != frames || request[version] != "1.0" || request[mechanism] != "CURVE" ||
      request[key].size() != proved.size())
    return {};
  std::memcpy(proved.data(), request[key].data(), proved.size());
  const std::lock_guard lock(mutex_);
  const auto list = domains_.find(request[domain]);
  if (list == domains_.end()) return {};
  const auto found = list->second.find(proved);
  return found == list->second.end() ? Verdict{} : Verdict{true, found->second};
}

Authenticator::Domain::Domain(Authenticator& authenticator, const std::vector<Admitted>& admitted)
    : authenticator_(&authenticator) {
  std::map<PublicKey, Role> list;
  for (const Admitted& peer : admitted) list.emplace(peer.key, peer.role);
  const std::lock_guard lock(authenticator.mutex_);
  name_ = fmt::format("eventspace-{}", ++authenticator.last_domain_);
  authenticator.domains_.emplace(name_, std::move(list));
}

Authenticator::Domain::~Domain() {
  const std::lock_guard lock(authenticator_->mutex_);
  authenticator_->domains_.erase(name_);
}

}  // namespace eventspace
