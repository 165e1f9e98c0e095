#include "paths/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <zmq.hpp>

#include "paths/network_context.h"
#include "paths/zmq_calls.h"
#include "tuplespace/error.h"

namespace eventspace {
namespace {

using std::chrono::milliseconds;

// Rounds up, so that a wait never ends before its deadline; slices bound what a single wait takes.
milliseconds slice_until(Deadline deadline) {
  constexpr milliseconds longest{1000};
  if (deadline.is_never()) return longest;
  return std::min(longest, std::chrono::ceil<milliseconds>(deadline.left()));
}

// A signal that the application handles, or a profiler's, is no reason to stop waiting.
void poll_through_signals(zmq::pollitem_t& item, milliseconds time) {
  try {
    zmq::poll(&item, 1, time);
  } catch (const zmq::error_t& error) {
    if (error.num() != EINTR) throw;
  }
}

zmq::socket_t connect(Network& network, const std::string& endpoint) {
  zmq::socket_t socket(network.context().zmq, zmq::socket_type::dealer);
  socket.set(zmq::sockopt::linger, 0);
  socket.set(zmq::sockopt::immediate,
             true);  // a request waits for the connection here, where it can be taken back
  socket.set(zmq::sockopt::reconnect_ivl, 20);
  socket.set(zmq::sockopt::reconnect_ivl_max, 500);
  socket.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(network.limits().message_bytes));
  socket.set(zmq::sockopt::sndhwm, static_cast<int>(network.limits().queued_messages));
  socket.set(zmq::sockopt::rcvhwm, static_cast<int>(network.limits().queued_messages));
  try {
    socket.connect(endpoint);
  } catch (const zmq::error_t& error) {
    throw ConfigurationError(fmt::format("cannot connect to '{}': {}; an endpoint looks like tcp://HOST:PORT",
                                         endpoint, error.what()));
  }
  return socket;
}

}  // namespace

struct Link::Socket {
  zmq::socket_t zmq;
};

Link::Link(Network& network, std::string endpoint)
    : network_(&network),
      endpoint_(std::move(endpoint)),
      max_message_bytes_(network.limits().message_bytes),
      socket_(std::make_unique<Socket>(Socket{connect(network, endpoint_)})) {}

Link::~Link() = default;

bool Link::transmit(const wire::Message& message) { return send_now(socket_->zmq, zmq::buffer(message)); }

bool Link::send(std::uint64_t id, wire::Message message, Waker* waker) {
  if (message.size() > max_message_bytes_) return false;
  requests_[id].waker = waker;
  if (!unsent_.empty() || !transmit(message)) unsent_.emplace_back(id, std::move(message));
  return true;
}

void Link::watch(std::uint64_t id, Waker* waker) {
  if (const auto found = requests_.find(id); found != requests_.end()) found->second.waker = waker;
}

void Link::forget(std::uint64_t id) {
  requests_.erase(id);
  std::erase_if(unsent_, [id](const auto& entry) { return entry.first == id; });
}

void Link::file(wire::Message message) {
  const wire::ParsedHeader parsed = wire::parse_header(message, max_message_bytes_);
  if (parsed.fault) {
    ++counts_.malformed_replies;
    return;
  }
  if (parsed.header.id == 0) return;  // answers nothing: the server looks whether we are there
  const auto found = requests_.find(parsed.header.id);
  if (found == requests_.end()) {
    ++counts_.late_replies;
    return;
  }
  found->second.reply = Reply{parsed.header.kind, std::move(message)};
  if (Waker* const waker = std::exchange(found->second.waker, nullptr)) waker->wake();
}

void Link::progress() {
  while (!unsent_.empty() && transmit(unsent_.front().second)) unsent_.pop_front();
  zmq::message_t received;
  while (receive_now(socket_->zmq, received)) {
    const auto* const data = static_cast<const std::byte*>(received.data());
    file(wire::Message(data, data + received.size()));
  }
}

std::optional<Reply> Link::poll(std::uint64_t id) {
  progress();
  const auto found = requests_.find(id);
  if (found == requests_.end() || !found->second.reply) return std::nullopt;
  std::optional<Reply> reply = std::move(found->second.reply);
  requests_.erase(found);
  return reply;
}

std::optional<Reply> Link::wait(std::uint64_t id, Deadline deadline) {
  while (true) {
    if (std::optional<Reply> reply = poll(id)) return reply;
    if (deadline.passed() || network_->is_closed()) return std::nullopt;
    zmq::pollitem_t item{socket_->zmq.handle(), 0,
                         static_cast<short>(ZMQ_POLLIN | (has_unsent() ? ZMQ_POLLOUT : 0)), 0};
    poll_through_signals(item, slice_until(deadline));
  }
}

Link& LinkPool::to(const std::string& endpoint) {
  std::unique_ptr<Link>& link = links_[endpoint];
  if (!link) {
    try {
      link = std::make_unique<Link>(*network_, endpoint);
    } catch (...) {
      links_.erase(endpoint);
      throw;
    }
  }
  return *link;
}

std::vector<LinkPool::PollItem> LinkPool::poll_items() const {
  std::vector<PollItem> items;
  items.reserve(links_.size());
  for (const auto& [endpoint, link] : links_) {
    const int events = ZMQ_POLLIN | (link->has_unsent() ? ZMQ_POLLOUT : 0);
    items.push_back({link->socket_->zmq.handle(), static_cast<short>(events), link.get()});
  }
  return items;
}

}  // namespace eventspace
