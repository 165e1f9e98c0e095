#include "paths/links/link.h"

#include <chrono>
#include <optional>
#include <thread>
#include <utility>
#include <zmq.hpp>

#include "paths/links/clock_comparison.h"
#include "paths/links/inbox.h"
#include "paths/links/open_requests.h"
#include "paths/links/outbox.h"
#include "paths/links/server_connection.h"
#include "paths/links/target_listeners.h"
#include "paths/sockets/input_poll.h"
#include "paths/sockets/loop_socket.h"

namespace eventspace {

using std::chrono::milliseconds;

struct Link::Parts {
  Parts(Network& network, std::string endpoint, DescriptorSet* connections)
      : connection(network, std::move(endpoint), connections),
        requests(network.limits().message_bytes, network.limits().queued_messages),
        outbox(network, connection, requests),
        inbox(network, connection, requests, outbox, listeners) {}

  ServerConnection connection;
  OpenRequests requests;
  TargetListeners listeners;
  Outbox outbox;
  Inbox inbox;
};

Link::Link(Network& network, std::string endpoint, Progress progress, DescriptorSet* connections)
    : network_(&network),
      progress_(progress),
      parts_(std::make_unique<Parts>(network, std::move(endpoint), connections)) {}

Link::~Link() = default;

// --- the connection ---------------------------------------------------------------------------------

void Link::check_connection() {
  while (const auto news = parts_->connection.next_news()) {
    if (news->is_lost) {
      lose_connection();
    } else {
      parts_->outbox.clear();
      parts_->requests.refuse(OpenRequests::Which::all, {wire::Fault::foreign, news->refusal},
                              parts_->connection.number());
    }
  }
}

void Link::lose_connection() {
  // If receive() finds the reply to a ping, it must not send the held request on this socket.
  parts_->outbox.release_held();
  receive(Until::nothing_is_there);
  parts_->connection.end();
  const bool ended = parts_->connection.has_ended();
  parts_->outbox.lose_connection(ended);
  parts_->requests.lose(ended);
  parts_->listeners.lose_all();
}

// --- requests ---------------------------------------------------------------------------------------

std::uint64_t Link::next_id() noexcept { return last_id_ += 1 + ClockComparison::max_pings; }

bool Link::send(std::uint64_t id, wire::Message message, Waker* waker, std::optional<std::uint64_t> only_on) {
  if (message.size() > network_->limits().message_bytes) return false;
  const ServerConnection& connection = parts_->connection;
  // A loop checks the connection by itself whenever there is an event.
  const bool loop_checks = progress_ == Progress::by_loop;
  if (!connection.is_established() || (!loop_checks && !connection.has_replied_lately())) check_connection();
  OpenRequests::Request& request = parts_->requests.add(id, waker, only_on.has_value());
  if (!wire::is_timed(message)) parts_->outbox.end_comparison();
  if (connection.has_ended() || (only_on && *only_on != connection.number())) {
    parts_->requests.settle(request, Reply::lost(false));
  } else {
    parts_->outbox.send(id, std::move(message), request);
  }
  return true;
}

void Link::post(std::uint64_t id, wire::Message message, std::optional<std::uint64_t> only_on) {
  if (send(id, std::move(message), nullptr, only_on)) detach(id);
}

// Sends at once. Does not check the connection, because that may call listeners, which call this function.
bool Link::send_now(const wire::Message& message, std::uint64_t only_on) {
  return only_on == parts_->connection.number() && message.size() <= network_->limits().message_bytes &&
         parts_->outbox.send_now(message);
}

void Link::detach(std::uint64_t id) { parts_->requests.remove(id); }

void Link::watch(std::uint64_t id, Waker* waker) { parts_->requests.watch(id, waker); }

void Link::forget(std::uint64_t id) {
  parts_->requests.remove(id);
  parts_->outbox.withdraw(id);
}

void Link::listen(std::uint64_t target, LinkListener* listener) { parts_->listeners.set(target, listener); }

// --- progress ---------------------------------------------------------------------------------------

void Link::receive(Until until) {
  zmq::message_t received;
  // A listener that inbox.file() calls may lose the connection.
  while ((until == Until::nothing_is_there || !is_idle()) && parts_->connection.receive(received))
    parts_->inbox.file(received);
}

void Link::progress() {
  check_connection();
  if (!is_open()) return;
  parts_->outbox.send_waiting();
  receive(Until::nothing_is_there);
}

void Link::exchange() {
  if (!is_open()) return;
  parts_->outbox.send_waiting();
  const bool reads_all = is_idle() || !parts_->listeners.is_empty();
  receive(reads_all ? Until::nothing_is_there : Until::nothing_is_outstanding);
}

std::optional<Reply> Link::poll(std::uint64_t id) {
  OpenRequests& requests = parts_->requests;
  if (std::optional<Reply> reply = requests.take(id)) return reply;
  if (progress_ == Progress::by_callers) return look_for(id);
  // The loop may not wait for replies to requests without a waker.
  if (requests.with_waker() < requests.open()) exchange();
  return requests.take(id);
}

// Reads the socket first: if the reply is there, the connection need not be checked, which costs a system
// call.
std::optional<Reply> Link::look_for(std::uint64_t id) {
  receive(Until::nothing_is_outstanding);
  if (std::optional<Reply> reply = parts_->requests.take(id)) return reply;
  check_connection();
  if (is_open()) parts_->outbox.send_waiting();
  return parts_->requests.take(id);
}

std::optional<Reply> Link::wait(std::uint64_t id, Deadline deadline) {
  while (true) {
    if (std::optional<Reply> reply = parts_->requests.take(id)) return reply;
    if (deadline.passed() || network_->is_closed()) {
      progress();
      return parts_->requests.take(id);
    }
    wait_for_progress(deadline);
  }
}

void Link::wait_for_progress(Deadline deadline) {
  if (!is_open()) {
    std::this_thread::sleep_for(time_until(deadline, ServerConnection::between_connections));
    return progress();
  }
  // Blocks briefly for one message, unless there is other work. The connection is not checked then.
  const bool has_time = deadline.is_never() || deadline.left() >= LoopSocket::soon;
  zmq::message_t received;
  if (is_connected() && !has_unsent() && has_time && parts_->connection.receive_soon(received))
    return parts_->inbox.file(received);
  InputPoll poll;
  const Places places = add_to(poll, true);
  poll.wait(time_until(deadline, milliseconds(1000)));
  progress(poll, places);
}

Link::Places Link::add_to(InputPoll& poll, bool alone) {
  ServerConnection& connection = parts_->connection;
  if (!connection.is_open()) return {InputPoll::nowhere, InputPoll::nowhere};
  const InputPoll::Place events = connection.add_events_to(poll, alone);
  const bool can_send = is_connected() && has_unsent();
  const bool waits = alone || parts_->requests.with_waker() > 0 || parts_->outbox.comparison().held() != 0 ||
                     !parts_->listeners.is_empty() || (is_idle() && connection.is_drained());
  if (!waits && !can_send) return {InputPoll::nowhere, events};
  return {connection.add_messages_to(poll, can_send), events};
}

void Link::progress(const InputPoll& poll, Places places) {
  if (!is_open() || poll.has_news(places.connection)) return progress();
  if (poll.has_news(places.socket)) exchange();
}

// --- queries ----------------------------------------------------------------------------------------

const std::string& Link::endpoint() const noexcept { return parts_->connection.endpoint(); }
bool Link::has_unsent() const noexcept { return parts_->outbox.has_waiting(); }
bool Link::is_idle() const noexcept { return parts_->requests.open() == 0; }
bool Link::is_open() const noexcept { return parts_->connection.is_open(); }
bool Link::is_connected() const noexcept { return parts_->connection.is_established(); }
bool Link::has_ended() const noexcept { return parts_->connection.has_ended(); }

ClockRelation Link::clock_relation() const { return parts_->outbox.comparison().server_clock().relation(); }

Link::Counts Link::counts() const noexcept {
  const Inbox::Dropped& dropped = parts_->inbox.dropped();
  const ServerConnection::Traffic& traffic = parts_->connection.traffic();
  return {dropped.late,           dropped.malformed,     traffic.lost_connections, traffic.bytes_sent,
          traffic.bytes_received, traffic.messages_sent, traffic.messages_received};
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
