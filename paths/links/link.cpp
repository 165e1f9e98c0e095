#include "paths/links/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>
#include <zmq.hpp>

#include "paths/links/connection_events.h"
#include "paths/links/descriptor_set.h"
#include "paths/links/free_descriptors.h"
#include "paths/links/handshake_refusal.h"
#include "paths/links/input_poll.h"
#include "paths/links/local_endpoint.h"
#include "paths/links/loop_socket.h"
#include "paths/links/network_context.h"
#include "tuplespace/system/error.h"

namespace eventspace {
namespace {

using std::chrono::milliseconds;

// After this time further pings are not sent: they use up the deadline of the request that waits for them.
constexpr std::uint64_t longest_comparing_ns = 3'000'000;

constexpr int made_and_ended = ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED |
                               ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
                               ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;

// Without ZMQ_IMMEDIATE, which would discard received but unread replies when the connection ends.
LoopSocket make_dealer(Network& network, const std::string& endpoint) {
  require_descriptors(descriptors_of_a_socket, fmt::format("a connection to {}", endpoint));
  LoopSocket dealer(network.context().zmq, zmq::socket_type::dealer);
  zmq::socket_t& socket = dealer.zmq();
  socket.set(zmq::sockopt::linger, 0);
  socket.set(zmq::sockopt::reconnect_ivl, 20);
  socket.set(zmq::sockopt::reconnect_ivl_max, 500);
  socket.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(network.limits().message_bytes));
  socket.set(zmq::sockopt::sndhwm, static_cast<int>(network.limits().queued_messages));
  socket.set(zmq::sockopt::rcvhwm, static_cast<int>(network.limits().queued_messages));
  dealer.notice_vanished_hosts();
  secure_connecting(socket, endpoint, network);
  return dealer;
}

}  // namespace

/// Lives as long as its first connection. ZeroMQ reconnects on its own, so a request that is handed over
/// before this thread notices the loss may be sent on the second connection; it is reported as lost anyway.
/// That is harmless: to the server, the second connection is another peer without open targets, so it refuses
/// operations; a target that such a request opens is freed when the lease ends. So a request may be reported
/// as lost although it was sent, but a loss is never missed: nothing is handed to this socket after the event
/// of the end of its first connection was read.
struct Link::Socket {
  Socket(Network& network, const std::string& endpoint, DescriptorSet* connections)
      : requests(make_dealer(network, endpoint)), events(network.context().zmq, requests, made_and_ended) {
    try {
      requests.zmq().connect(address_of(endpoint, network.session()));
    } catch (const zmq::error_t& error) {
      throw ConfigurationError(fmt::format(
          "cannot connect to '{}': {}; an endpoint looks like tcp://HOST:PORT", endpoint, error.what()));
    }
    if (connections != nullptr) member.emplace(*connections, events.socket().descriptor());
  }
  /// Whether the descriptor set becomes readable at the next event in any case.
  [[nodiscard]] bool covered_by_set() noexcept { return member && events.socket().is_drained(); }

  LoopSocket requests;
  ConnectionEvents events;
  std::optional<DescriptorSet::Member> member;
};

Link::Link(Network& network, std::string endpoint, Progress progress, DescriptorSet* connections)
    : network_(&network),
      endpoint_(std::move(endpoint)),
      progress_(progress),
      max_message_bytes_(network.limits().message_bytes),
      connections_(connections),
      socket_(std::make_unique<Socket>(network, endpoint_, connections_)),
      opened_(Clock::now()),
      server_clock_(network.clock().identity()) {}

Link::~Link() = default;

// --- the connection ---------------------------------------------------------------------------------

void Link::look_at_connection() {
  while (socket_) {
    const auto event = socket_->events.next();
    if (!event) return;
    if (event->kind == ZMQ_EVENT_HANDSHAKE_SUCCEEDED) {
      stands_ = true;
      failed_handshakes_ = 0;
    } else if (event->kind != ZMQ_EVENT_DISCONNECTED) {
      const FailedHandshake failed{event->kind, event->value, ++failed_handshakes_};
      const std::string refusal = refusal_by(endpoint_, failed, network_->security());
      if (!refusal.empty()) refuse_all(refusal);
    } else if (stands_) {
      lose_connection();
    } else {
      socket_.reset();  // another program listens there: ZeroMQ stops trying after some failed handshakes
    }
  }
  reopen();
}

void Link::reopen() {
  if (ended_ || Clock::now() < opened_ + between_connections) return;
  opened_ = Clock::now();
  try {
    socket_ = std::make_unique<Socket>(*network_, endpoint_, connections_);
  } catch (const std::exception&) {
    // The process has probably run out of descriptors. The next call tries again.
  }
}

void Link::lose_connection() {
  held_ = 0;  // if receive() finds the reply to a ping, it must not send the held request on this socket
  receive(Until::nothing_is_there);
  socket_.reset();
  stands_ = false;
  received_ns_ = 0;
  ended_ = network_->when_lost() == WhenLost::end;
  ++counts_.lost_connections;
  ++connection_;
  ping_ = {};
  for (auto& [id, request] : requests_) {
    if (!request.reply && (request.sent || request.only_here || ended_))
      settle(request, Reply::lost(request.sent));
  }
  std::erase_if(unsent_, [this](const Unsent& unsent) { return ended_ || unsent.only_here; });
  lose_listeners();
}

// --- requests and replies ---------------------------------------------------------------------------

bool Link::transmit(const wire::Message& message, Request* request) {
  if (!stands_) return false;
  if (request != nullptr && wire::is_timed(message)) request->sent_ns = network_->clock().now_ns();
  if (!socket_->requests.send(zmq::buffer(message))) return false;
  if (request != nullptr) request->sent = true;
  counts_.bytes_sent += message.size();
  ++counts_.messages_sent;
  return true;
}

bool Link::send(std::uint64_t id, wire::Message message, Waker* waker, std::optional<std::uint64_t> only_on) {
  if (message.size() > max_message_bytes_) return false;
  // A loop checks the connection by itself whenever there is an event.
  if (!stands_ || (progress_ == Progress::by_callers && !has_heard_lately())) look_at_connection();
  Request& request = requests_[id];
  request.waker = waker;
  request.only_here = only_on.has_value();
  count(request, 1);
  if (!wire::is_timed(message)) stop_comparing();
  if (ended_ || (only_on && *only_on != connection_)) {
    settle(request, Reply::lost(false));
  } else if (begin_comparing(id, message) || !unsent_.empty() || !transmit(message, &request)) {
    unsent_.push_back({id, std::move(message), only_on.has_value()});
  }
  return true;
}

// After a recent reply, send() does not check the connection, which costs a system call: the wait for the
// reply will notice a loss.
bool Link::has_heard_lately() const {
  constexpr std::uint64_t lately_ns = 1'000'000;
  return received_ns_ != 0 && network_->clock().now_ns() < received_ns_ + lately_ns;
}

// Returns true if the request has to wait until the last ping is answered.
bool Link::begin_comparing(std::uint64_t id, const wire::Message& message) {
  if (!stands_ || open_ != 1 || !unsent_.empty() || !wire::is_timed(message)) return false;
  const std::uint64_t now_ns = network_->clock().now_ns();
  if (now_ns < compared_ns_ + ServerClock::fresh_for_ns || !server_clock_.is_stale(now_ns)) return false;
  compared_ns_ = now_ns;
  held_ = ping(id - pings_at_most) ? id : 0;
  return held_ != 0;
}

void Link::stop_comparing() {
  if (std::exchange(held_, 0) != 0) send_unsent();
}

bool Link::ping(std::uint64_t id) {
  const wire::Message message = wire::encode(wire::Kind::ping, id);
  ping_ = {id, network_->clock().now_ns()};
  if (!socket_->requests.send(zmq::buffer(message))) {
    ping_ = {};
    return false;
  }
  counts_.bytes_sent += message.size();
  ++counts_.messages_sent;
  return true;
}

void Link::on_ping(const std::optional<wire::ServerTimes>& times, std::uint64_t arrived_ns) {
  const Ping answered = std::exchange(ping_, {});
  if (times) server_clock_.compare(answered.sent_ns, *times, arrived_ns);
  const bool may_go_on = answered.id + 1 < held_ && arrived_ns < compared_ns_ + longest_comparing_ns;
  const bool again = may_go_on && server_clock_.is_stale(arrived_ns) && ping(answered.id + 1);
  if (!again) stop_comparing();
}

void Link::post(std::uint64_t id, wire::Message message, std::optional<std::uint64_t> only_on) {
  if (send(id, std::move(message), nullptr, only_on)) detach(id);
}

// Sends at once. Does not check the connection, because that may call listeners, which call this function.
bool Link::send_now(const wire::Message& message, std::uint64_t only_on) {
  const bool can_send = stands_ && only_on == connection_ && unsent_.empty();
  return can_send && message.size() <= max_message_bytes_ && transmit(message, nullptr);
}

template <class Change>
void Link::change(Request& request, Change how) {
  count(request, -1);
  how();
  count(request, 1);
}

void Link::count(const Request& request, std::ptrdiff_t by) noexcept {
  if (request.reply) return;
  open_ += by;
  if (request.waker != nullptr) with_waker_ += by;
}

void Link::remove(std::uint64_t id) {
  const auto found = requests_.find(id);
  if (found == requests_.end()) return;
  count(found->second, -1);
  requests_.erase(found);
}

void Link::detach(std::uint64_t id) { remove(id); }

void Link::watch(std::uint64_t id, Waker* waker) {
  const auto found = requests_.find(id);
  if (found != requests_.end()) change(found->second, [&] { found->second.waker = waker; });
}

void Link::forget(std::uint64_t id) {
  remove(id);
  std::erase_if(unsent_, [id](const Unsent& unsent) { return unsent.id == id; });
  if (id == held_) stop_comparing();
}

void Link::receive(Until until) {
  zmq::message_t received;
  // A listener that is called here may lose the connection.
  while (socket_ && (until == Until::nothing_is_there || open_ > 0) && socket_->requests.receive(received))
    file(received);
}

void Link::file(zmq::message_t& received) {
  counts_.bytes_received += received.size();
  ++counts_.messages_received;
  const Bytes here(received.data<std::byte>(), received.size());
  if (wire::may_be_unasked(here)) {  // it is consumed in this call, so it need not be copied
    const wire::ParsedHeader parsed = wire::parse_header(here, max_message_bytes_);
    if (!parsed.fault) return file_unasked(parsed);
  }
  // Small messages are stored inside message_t and move with it, so take the address after the move.
  const auto kept = std::make_shared<zmq::message_t>(std::move(received));
  const Bytes message(kept->data<std::byte>(), kept->size());
  file(wire::parse_header(message, max_message_bytes_), kept);
}

void Link::file(const wire::ParsedHeader& parsed, std::shared_ptr<const void> message) {
  const std::uint64_t arrived_ns = parsed.times ? network_->clock().now_ns() : 0;
  if (parsed.times) received_ns_ = arrived_ns;
  if (parsed.fault) ++counts_.malformed_replies;
  if (parsed.fault == wire::Fault::version) return refuse_version(parsed.version);
  if (ping_.id != 0 && parsed.header.id == ping_.id) return on_ping(parsed.times, arrived_ns);
  // Id 0 answers no request: the server tests whether this peer is connected (Replies::reaches).
  if (parsed.fault || parsed.header.id == 0) return;
  if (parsed.header.kind == wire::Kind::part) return file_part(parsed, std::move(message));
  const auto found = requests_.find(parsed.header.id);
  if (found == requests_.end() || found->second.reply) {  // forgotten, or already answered
    ++counts_.late_replies;
    return;
  }
  if (parsed.times && found->second.sent_ns != 0)
    server_clock_.compare(found->second.sent_ns, *parsed.times, arrived_ns);
  settle(found->second, {parsed, std::move(message), connection_, std::move(found->second.parts)});
}

// Answers in place of a server whose messages cannot be read. Its id may be at another place, so the request
// that a message answers is unknown.
void Link::refuse_version(std::uint8_t version) {
  const std::string text = fmt::format(
      "the server at {} speaks version {} of the protocol, this program version {}; use the same version of "
      "EventSpace for both, and start the server again",
      endpoint_, version, wire::protocol_version);
  ping_ = {};
  for (auto& [id, request] : requests_) {
    if (request.reply || !request.sent) continue;
    const auto failure =
        std::make_shared<const wire::Message>(wire::encode(id, wire::Failure{wire::Fault::version, text}));
    settle(request, {wire::parse_header(*failure, failure->size()), failure, connection_});
  }
  stop_comparing();
}

void Link::refuse_all(const std::string& text) {
  ping_ = {};
  for (auto& [id, request] : requests_) {
    if (request.reply) continue;
    const auto failure =
        std::make_shared<const wire::Message>(wire::encode(id, wire::Failure{wire::Fault::foreign, text}));
    settle(request, {wire::parse_header(*failure, failure->size()), failure, connection_});
  }
  unsent_.clear();
  held_ = 0;
}

void Link::file_part(const wire::ParsedHeader& parsed, std::shared_ptr<const void> message) {
  const auto found = requests_.find(parsed.header.id);
  if (found == requests_.end() || found->second.reply) return;
  Request& request = found->second;
  request.part_bytes += parsed.envelope.size() + parsed.body.size();  // everything that the part keeps
  const bool too_much =
      request.part_bytes > max_message_bytes_ || request.parts.size() >= network_->limits().queued_messages;
  const bool has_empty_envelope = parsed.envelope.size() == 1;
  if (parsed.body.empty() || !has_empty_envelope || too_much) {
    ++counts_.malformed_replies;
  } else {
    request.parts.push_back({std::move(message), parsed.body});
  }
}

void Link::file_unasked(const wire::ParsedHeader& parsed) {
  const bool is_push = parsed.header.kind == wire::Kind::pushed;
  const auto push = is_push ? wire::decode<wire::Push>(parsed.envelope) : std::nullopt;
  const auto credit = is_push ? std::nullopt : wire::decode<wire::Credit>(parsed.envelope);
  if (!push && !credit) {
    ++counts_.malformed_replies;
    return;
  }
  const auto found = listeners_.find(push ? push->target : credit->target);
  if (found == listeners_.end()) {
    ++counts_.late_replies;
  } else if (credit) {
    found->second->on_credit(credit->up_to);
  } else if (!found->second->on_push(parsed.body)) {
    ++counts_.malformed_replies;
  }
}

void Link::listen(std::uint64_t target, LinkListener* listener) {
  if (listener != nullptr) {
    listeners_[target] = listener;
  } else {
    listeners_.erase(target);
  }
}

// Takes the first listener each time instead of iterating: a listener may remove others when it is called.
void Link::lose_listeners() {
  while (!listeners_.empty()) {
    LinkListener* const listener = listeners_.begin()->second;
    listeners_.erase(listeners_.begin());
    listener->on_loss();
  }
}

void Link::settle(Request& request, Reply reply) {
  change(request, [&] { request.reply = std::move(reply); });
  if (Waker* const waker = std::exchange(request.waker, nullptr)) waker->wake();
}

void Link::progress() {
  look_at_connection();
  if (!socket_) return;
  send_unsent();
  receive(Until::nothing_is_there);
}

void Link::exchange() {
  if (!socket_) return;
  send_unsent();
  const bool reads_all = is_idle() || !listeners_.empty();
  receive(reads_all ? Until::nothing_is_there : Until::nothing_is_outstanding);
}

void Link::send_unsent() {
  while (has_unsent()) {
    const auto waited_for = requests_.find(unsent_.front().id);  // absent if it was detached
    Request* const request = waited_for == requests_.end() ? nullptr : &waited_for->second;
    if (!transmit(unsent_.front().message, request)) break;
    unsent_.pop_front();
  }
}

std::optional<Reply> Link::poll(std::uint64_t id) {
  if (std::optional<Reply> reply = take(id)) return reply;
  if (progress_ == Progress::by_callers) return look_for(id);
  if (with_waker_ < open_) exchange();  // the loop may not wait for replies to requests without a waker
  return take(id);
}

// Reads the socket first: if the reply is there, the connection need not be checked, which costs a system
// call.
std::optional<Reply> Link::look_for(std::uint64_t id) {
  if (socket_) receive(Until::nothing_is_outstanding);
  if (std::optional<Reply> reply = take(id)) return reply;
  look_at_connection();
  if (socket_) send_unsent();
  return take(id);
}

std::optional<Reply> Link::take(std::uint64_t id) {
  const auto found = requests_.find(id);
  if (found == requests_.end() || !found->second.reply) return std::nullopt;
  std::optional<Reply> reply = std::move(found->second.reply);
  requests_.erase(found);
  return reply;
}

std::optional<Reply> Link::wait(std::uint64_t id, Deadline deadline) {
  while (true) {
    if (std::optional<Reply> reply = take(id)) return reply;
    if (deadline.passed() || network_->is_closed()) {
      progress();
      return take(id);
    }
    wait_for_progress(deadline);
  }
}

void Link::wait_for_progress(Deadline deadline) {
  if (!socket_) {
    std::this_thread::sleep_for(time_until(deadline, between_connections));
    return progress();
  }
  if (receive_soon(deadline)) return;
  InputPoll poll;
  const Places places = add_to(poll, true);
  poll.wait(time_until(deadline, milliseconds(1000)));
  progress(poll, places);
}

bool Link::receive_soon(Deadline deadline) {
  if (!stands_ || has_unsent() || (!deadline.is_never() && deadline.left() < LoopSocket::soon)) return false;
  zmq::message_t received;
  if (!socket_->requests.receive_soon(received)) return false;
  file(received);
  return true;
}

Link::Places Link::add_to(InputPoll& poll, bool alone) {
  if (!socket_) return {InputPoll::nowhere, InputPoll::nowhere};
  const InputPoll::Place connection =
      !alone && socket_->covered_by_set() ? InputPoll::nowhere : poll.add(socket_->events.socket());
  const bool can_send = stands_ && has_unsent();
  const bool waits = alone || with_waker_ > 0 || held_ != 0 || !listeners_.empty() ||
                     (is_idle() && socket_->requests.is_drained());
  if (!waits && !can_send) return {InputPoll::nowhere, connection};
  const int events = ZMQ_POLLIN | (can_send ? ZMQ_POLLOUT : 0);
  return {poll.add(socket_->requests, static_cast<short>(events)), connection};
}

void Link::progress(const InputPoll& poll, Places places) {
  if (!socket_ || poll.has_news(places.connection)) return progress();
  if (poll.has_news(places.socket)) exchange();
}

Link::Counts& Link::Counts::operator+=(const Counts& other) noexcept {
  late_replies += other.late_replies;
  malformed_replies += other.malformed_replies;
  lost_connections += other.lost_connections;
  bytes_sent += other.bytes_sent;
  bytes_received += other.bytes_received;
  messages_sent += other.messages_sent;
  messages_received += other.messages_received;
  return *this;
}

}  // namespace eventspace
