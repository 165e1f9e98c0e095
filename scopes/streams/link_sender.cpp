#include "scopes/streams/link_sender.h"

#include <algorithm>
#include <utility>

namespace eventspace::streams {
namespace {

using Clock = LinkSender::Clock;

// Packets that went down and are not answered; wraps around if none was sent.
std::uint64_t unanswered(const WavePassing& passing) {
  return passing.next_down() - passing.waves().next_wave();
}

bool is_busy(NodeStream& stream, Clock::time_point now) {
  const Synchronise how = stream.options().synchronise;
  const bool is_answered = how == Synchronise::wait_for_all || how == Synchronise::time_out;
  const WavePassing& passing = stream.passing();
  return is_answered && passing.next_down() >= passing.waves().next_wave() &&
         passing.busy().waits(unanswered(passing), stream.options().window, now);
}

void release(NodeStream& stream, Clock::time_point now) {
  BusyStream& busy = stream.passing().busy();
  if (!busy.has_waiting()) return;
  busy.released(stream.passing().next_down(), now);
  busy.hold(false);
  stream.flows().mark_children();
}

}  // namespace

Deadline LinkSender::due() const {
  if (streams_.holding().holds_grants()) return Deadline::now();
  Deadline first = Deadline::never();
  for (const auto& [number, stream] : std::as_const(streams_).all()) {
    const auto look_at = [&](Clock::time_point due) {
      first = earlier(first, Deadline::after(std::max(Clock::duration::zero(), due - Clock::now())));
    };
    const WavePassing& passing = stream.passing();
    if (passing.busy().has_waiting()) look_at(passing.busy().due());
    if (const auto due = passing.waves().due(); due && passing.flows().has_room_up()) look_at(*due);
  }
  return first;
}

void LinkSender::flush_after_send(std::uint32_t number) {
  const Clock::time_point now = Clock::now();
  NodeStream* const stream = streams_.find(number);
  const bool busy = stream != nullptr && is_busy(*stream, now);
  const bool many = busy && unanswered(stream->passing()) >= BusyStream::many_from;
  Holding& holding = streams_.holding();
  if (holding.may_hold(busy || streams_.has_packets(), many, now)) return;
  // While the caller takes and sends, packets of a busy stream continue to wait, also if other threads have
  // the processor in between.
  for (auto& [each, other] : streams_.all()) {
    if (&other != stream || !busy || !holding.has_taken_within(BusyStream::pause, now)) release(other, now);
  }
  flush();
}

void LinkSender::flush_after_take() {
  const bool has_grants = !links_.parent.link().control().empty() || links_.children.has_control();
  if (!streams_.holding().may_hold_grants(has_grants)) flush();
}

void LinkSender::flush() {
  streams_.holding().released();
  for (auto& [number, stream] : streams_.all()) {
    if (stream.passing().waves().due()) stream.passing().pump(Clock::now());
    stream.flows().report_dropped();
    if (!stream.passing().busy().has_waiting()) continue;
    const Clock::time_point now = Clock::now();
    const bool busy = is_busy(stream, now);
    stream.passing().busy().hold(busy);
    if (!busy) release(stream, now);
  }
  send_links();
}

void LinkSender::send_links() {
  NodeLink& parent = links_.parent.link();
  // Packets that go up make room for children to send, and the reverse.
  if (parent.take_mark()) send_link(parent, std::nullopt);
  if (links_.children.take_mark()) {
    for (auto& [child, one] : links_.children) {
      if (one.link.take_mark()) send_link(one.link, child);
    }
  }
  if (parent.take_mark()) send_link(parent, std::nullopt);
}

void LinkSender::send_link(NodeLink& link, std::optional<Child> child) {
  while (link.may_send()) {
    const std::vector<std::byte> message = pack(link, child);
    if (message.empty() || !link.push(message)) return;
    account(child);
  }
}

// A message of about batch_bytes.
std::vector<std::byte> LinkSender::pack(const NodeLink& link, std::optional<Child> child) {
  std::vector<std::byte> message = link.control();
  packed_.clear();
  for (auto& [number, stream] : streams_.all()) {
    if (child && stream.passing().busy().is_held()) continue;
    StreamFlows::Branch* const branch = child ? stream.flows().find_child(*child) : nullptr;
    Flow* const flow = !child ? &stream.flows().up() : branch != nullptr ? &branch->flow : nullptr;
    const std::size_t sendable = flow == nullptr ? 0 : flow->sendable();
    std::size_t packets = 0;
    while (packets < sendable && message.size() < batch_bytes)
      append_packet(message, number, flow->at(packets++));
    if (packets > 0) packed_.push_back({&stream, flow, packets});
  }
  return message;
}

// The packets of the message were sent, so there is room for others.
void LinkSender::account(std::optional<Child> child) {
  for (const Packed& some : packed_) some.flow->sent(some.packets);
  for (const Packed& some : packed_) {
    if (child) {
      some.stream->flows().grant_parent();
    } else {
      some.stream->passing().pump(Clock::now());
      some.stream->passing().grant_children();
    }
  }
}

}  // namespace eventspace::streams
