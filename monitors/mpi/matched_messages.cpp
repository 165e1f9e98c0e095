#include "monitors/mpi/matched_messages.h"

#include <algorithm>
#include <utility>

#include "collectors/mpi/mpi_text.h"
#include "collectors/record_header.h"

namespace eventspace {
namespace {

using Late = MessageWaits::Late;

bool has_message(const MpiCallRecord& call) {
  return call.error == 0 && !call.has(MpiWildcards::null_process) && call.partner != MpiCallRecord::none;
}

}  // namespace

/// The call being added.
struct MatchedMessages::Call {
  std::uint32_t rank{0};
  MpiCallRecord record{};
  Moment begin{}, end{};
};

void MatchedMessages::add(std::uint32_t rank, std::span<const TraceTuple> event, const ProcessReport& process,
                          std::uint32_t node) {
  follow(event);
  const RecordHeader header = header_of(event.back());
  const Call call{rank, mpi_call_of(event.back()), Moment::of(header.start, process, node),
                  Moment::of(header.end, process, node)};
  newest_[rank] = call.end;
  if (!is_exact_ || !call.record.is_whole()) return;
  const auto wait = is_immediate(call.record) ? nullptr : std::make_shared<Wait>(Wait{call.begin, call.end});
  take(call, event, wait);
  if (wait != nullptr) release(*wait);
}

void MatchedMessages::take(const Call& call, std::span<const TraceTuple> event,
                           const std::shared_ptr<Wait>& wait) {
  switch (call.record.of) {
    case MpiClass::send:
      send(call, call.record, wait);
      for (const MpiCallRecord& part : mpi_requests_of(event).completed)  // of a Sendrecv
        if (part.of == MpiClass::receive) receive(call, part, call.begin, wait);
      return;
    case MpiClass::receive:
      if (wait == nullptr) return remember(call.rank, call.record.request, {.at = call.begin});
      return receive(call, call.record, call.begin, wait);
    case MpiClass::start:
      return start(call, event);
    case MpiClass::complete:
      return complete(call, event, wait);
    case MpiClass::collective:
    case MpiClass::probe:
    case MpiClass::look:
    case MpiClass::manage:
    case MpiClass::input:
    case MpiClass::output:
    case MpiClass::file:
    case MpiClass::window:
      return;
  }
}

void MatchedMessages::remember(std::uint32_t rank, std::uint32_t request, Posted posted) {
  posted_[{rank, request}] = std::move(posted);
  auto oldest = posted_.lower_bound({rank, 0});
  while (oldest->first.first == rank && request - oldest->first.second > max_requests &&
         !oldest->second.is_persistent)
    oldest = posted_.erase(oldest);
}

// A gap in the numbers means that records are missing.
void MatchedMessages::follow(std::span<const TraceTuple> event) {
  std::uint64_t& next = next_.try_emplace(header_of(event.front()).thread, 1).first->second;
  is_exact_ = is_exact_ && header_of(event.front()).sequence == next;
  next = header_of(event.back()).sequence + 1;
}

void MatchedMessages::send(const Call& call, const MpiCallRecord& message,
                           const std::shared_ptr<Wait>& wait) {
  if (!has_message(message)) return;
  const auto to = reader_->partner_of(call.rank, message);
  if (!to) return;
  const auto sent = std::make_shared<Message>(Message{.from = call.rank, .to = *to, .sent = call.begin});
  sent->of_send = wait;
  if (wait != nullptr) ++wait->open;
  if (message.request != 0) remember(call.rank, message.request, {.at = call.begin, .send = sent});
  const Key key{call.rank, *to, message.communicator, message.tag};
  unmatched_[key].sends.push_back(sent);
  ++open_;
  match(key);
}

void MatchedMessages::receive(const Call& call, const MpiCallRecord& message, const Moment& at,
                              const std::shared_ptr<Wait>& wait) {
  if (!has_message(message)) return;
  const auto from = reader_->partner_of(call.rank, message);
  if (!from) return;
  const auto received =
      std::make_shared<Message>(Message{.from = *from, .to = call.rank, .received = at, .arrived = call.end});
  received->of_receive = wait;
  if (wait != nullptr) ++wait->open;
  const Key key{*from, call.rank, message.communicator, message.tag};
  unmatched_[key].receives.push_back(received);
  ++open_;
  match(key);
}

// Prepares or starts persistent requests.
void MatchedMessages::start(const Call& call, std::span<const TraceTuple> event) {
  const MpiRequests requests = mpi_requests_of(event);
  if (name_of_mpi_call(call.record.call).find("_init") != std::string::npos)
    return remember(call.rank, call.record.request, {.at = call.begin, .is_persistent = true});
  is_exact_ = is_exact_ && requests.in_all <= requests.awaited.size();
  for (const MpiCallRecord& request : requests.awaited)
    if (request.of == MpiClass::send) send(call, request, nullptr);
  for (auto& [key, posted] : posted_)
    if (key.first == call.rank && posted.is_persistent) posted.at = call.begin;
}

void MatchedMessages::complete(const Call& call, std::span<const TraceTuple> event,
                               const std::shared_ptr<Wait>& wait) {
  const MpiRequests requests = mpi_requests_of(event);
  // The call may have completed more than the records have room for.
  is_exact_ = is_exact_ && requests.completed.size() <= mpi_parts::max_completed &&
              requests.rest == MpiRequests::Rest{};
  for (const MpiCallRecord& part : requests.completed) {
    const auto posted = posted_.find({call.rank, part.request});
    if (part.of == MpiClass::receive)
      receive(call, part, posted == posted_.end() ? call.begin : posted->second.at, wait);
    if (posted == posted_.end()) continue;
    if (const MessagePtr& sent = posted->second.send; sent != nullptr && wait != nullptr) {
      sent->of_send = wait;
      ++wait->open;
      if (sent->received) count(*sent);
    }
    if (!posted->second.is_persistent) posted_.erase(posted);
  }
}

void MatchedMessages::match(const Key& key) {
  Unmatched& queues = unmatched_[key];
  while (!queues.sends.empty() && !queues.receives.empty()) {
    const MessagePtr sent = queues.sends.front();
    const MessagePtr received = queues.receives.front();
    queues.sends.pop_front();
    queues.receives.pop_front();
    open_ -= 2;
    sent->received = received->received;
    sent->of_receive = received->of_receive;
    // A message cannot arrive before it is sent, so some sends were not recorded.
    const Difference before = between(received->arrived, *sent->sent);
    is_exact_ = is_exact_ && before.ns <= before.error_ns;
    count(*sent);
  }
  if (queues.sends.empty() && queues.receives.empty()) unmatched_.erase(key);
  is_exact_ = is_exact_ && open_ <= max_open && posted_.size() <= max_open;
}

// Each side counts once, when the other side is known.
void MatchedMessages::count(Message& message) {
  if (const auto wait = std::exchange(message.of_receive, nullptr); wait != nullptr)
    count(*wait, {message.to, message.from, Late::sender}, *message.sent);
  if (const auto wait = std::exchange(message.of_send, nullptr); wait != nullptr)
    count(*wait, {message.from, message.to, Late::receiver}, *message.received);
}

void MatchedMessages::count(Wait& wait, const Pair& pair, const Moment& other_began) {
  Difference waited = between(wait.begin, other_began);
  const Difference in_call = between(wait.begin, wait.end);
  // A send that had ended before the receive began has not waited for it.
  const bool was_ahead = pair.late == Late::receiver && waited.ns > in_call.ns;
  if (waited.ns > in_call.ns) waited = in_call;
  if (!was_ahead && waited.ns > 0 && (!wait.longest || waited.ns > wait.longest->second.ns))
    wait.longest = {pair, waited};
  release(wait);
}

void MatchedMessages::release(Wait& wait) {
  if (--wait.open > 0 || !wait.longest) return;
  const auto& [pair, difference] = *wait.longest;
  Sum& sum = sums_[pair];
  ++sum.messages;
  if (difference.ns <= difference.error_ns) ++sum.unclear;
  if (difference.error_ns >= Moment::unbounded) return;  // the duration is unknown
  sum.waited += nanoseconds(difference.ns);
  sum.error += nanoseconds(difference.error_ns);
}

bool MatchedMessages::is_exact() const { return is_exact_ && !lacks_sends(); }

// Whether a message was received whose sender has later calls but not its send: then sends are not recorded.
bool MatchedMessages::lacks_sends() const {
  return std::ranges::any_of(unmatched_, [this](const auto& entry) {
    const auto& receives = entry.second.receives;
    if (receives.empty()) return false;
    const auto sender = newest_.find(receives.front()->from);
    return sender == newest_.end() || between(receives.front()->arrived, sender->second).ns > 0;
  });
}

}  // namespace eventspace
