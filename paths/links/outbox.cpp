#include "paths/links/outbox.h"

#include <algorithm>
#include <utility>

namespace eventspace {

void Outbox::send(std::uint64_t id, wire::Message message, OpenRequests::Request& request) {
  if (begin_comparison(id, message) || !waiting_.empty() || !transmit(message, &request))
    waiting_.push_back({id, std::move(message), request.only_here});
}

bool Outbox::send_now(const wire::Message& message) { return waiting_.empty() && transmit(message, nullptr); }

bool Outbox::transmit(const wire::Message& message, OpenRequests::Request* request) {
  if (!connection_->is_established()) return false;
  if (request != nullptr && wire::is_timed(message)) request->sent_ns = clock_->now_ns();
  if (!connection_->send(message)) return false;
  if (request != nullptr) request->sent = true;
  return true;
}

void Outbox::send_waiting() {
  while (has_waiting()) {
    // Null if it was detached.
    OpenRequests::Request* const request = requests_->find(waiting_.front().id);
    if (!transmit(waiting_.front().message, request)) break;
    waiting_.pop_front();
  }
}

void Outbox::withdraw(std::uint64_t id) {
  std::erase_if(waiting_, [id](const Waiting& waiting) { return waiting.id == id; });
  if (id == comparison_.held()) end_comparison();
}

// Returns true if the request has to wait until the last ping is answered.
bool Outbox::begin_comparison(std::uint64_t id, const wire::Message& message) {
  const bool is_only_request = requests_->open() == 1 && waiting_.empty();
  if (!connection_->is_established() || !is_only_request || !wire::is_timed(message)) return false;
  const std::uint64_t now_ns = clock_->now_ns();
  if (!comparison_.is_due(now_ns)) return false;
  if (ping(comparison_.begin(id, now_ns))) return true;
  comparison_.release();
  return false;
}

void Outbox::end_comparison() {
  if (comparison_.held() == 0) return;
  comparison_.release();
  send_waiting();
}

bool Outbox::ping(std::uint64_t id) {
  const wire::Message message = wire::encode(wire::Kind::ping, id);
  const std::uint64_t now_ns =
      clock_->now_ns();  // as late as possible: it bounds the error of the comparison
  const bool was_sent = connection_->send(message);
  if (was_sent) comparison_.sent(id, now_ns);
  return was_sent;
}

void Outbox::answer_ping(const std::optional<wire::ServerTimes>& times, std::uint64_t arrived_ns) {
  const auto next = comparison_.answer(times, arrived_ns);
  if (!next || !ping(*next)) end_comparison();
}

void Outbox::lose_connection(bool ended) {
  comparison_.forget_ping();
  comparison_.release();  // of a request that a listener sent after release_held()
  std::erase_if(waiting_, [ended](const Waiting& waiting) { return ended || waiting.only_here; });
}

void Outbox::clear() {
  comparison_.forget_ping();
  comparison_.release();
  waiting_.clear();
}

}  // namespace eventspace
