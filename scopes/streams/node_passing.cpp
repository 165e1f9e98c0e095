#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "scopes/streams/node.h"

// Packets on their way through a process.

namespace eventspace::streams {
namespace {

Frame credit_frame(std::uint32_t stream, Load total) {
  return {.kind = FrameKind::credit, .stream = stream, .number = total.packets, .bytes = total.bytes};
}

// How long a wave has waited since its first packet.
std::uint64_t waited(const Wave& wave, StreamNode::Clock::time_point now) {
  StreamNode::Clock::time_point began = now;
  for (const Contribution& one : wave.packets) began = std::min(began, one.came);
  return static_cast<std::uint64_t>((now - began).count());
}

}  // namespace

// --- up -------------------------------------------------------------------------------------------------

bool StreamNode::has_room_up(const Stream& stream) const {
  return stream.options.when_full != WhenFull::wait || !held_up(stream).fills(stream.window);
}

// Packets that are queued to go up or, in the front-end, for the user.
Load StreamNode::held_up(const Stream& stream) const {
  return part_ == Part::front_end ? stream.for_user.load() : stream.up.waiting();
}

void StreamNode::pump(Stream& stream, Clock::time_point now) {
  bool passed = false;
  while (has_room_up(stream) && pass_one(stream, now)) passed = true;
  if (passed) grant_children(stream);
}

// Returns whether a wave was passed on, or room was made in another way.
bool StreamNode::pass_one(Stream& stream, Clock::time_point now) {
  try {
    if (const auto ended = stream.waves.take_end(now)) {
      end_generation(stream, *ended);
      return true;
    }
    auto wave = stream.waves.next(now);
    if (!wave) return false;
    stream.busy.answered(stream.waves.next_wave(), now);
    pass_up(stream, std::move(*wave), now);
    return true;
  } catch (const std::exception& error) {  // from a rule, which has dropped packets
    report_fault(stream, stream.waves.next_wave(), own(error.what()));
    return true;
  }
}

void StreamNode::pass_up(Stream& stream, Wave wave, Clock::time_point now) {
  ++stream.counters.waves;
  stream.counters.synchronising_ns += waited(wave, now);
  if (!wave.missing.empty()) ++stream.counters.partial_waves;
  const std::uint64_t number = wave.number;
  const RankSet missing = wave.missing;
  Stream::Up& filters = stream.up_of(wave.generation);
  if (wave.packets.empty()) return lose_wave(stream, filters, number, missing);
  std::vector<Packet> out;
  if (filters.chain.empty()) {
    for (Contribution& one : wave.packets) out.push_back(std::move(one.packet));
  } else {
    try {
      out = filters.chain.run(std::move(wave));
    } catch (const std::exception& error) {
      report_fault(stream, number, own(error.what()));
      return lose_wave(stream, filters, number, missing | members_below(stream, ranks_));
    }
  }
  finish_up(stream, filters, number, missing, std::move(out));
}

// Tells the process above not to wait for this wave, if the wave has a number there.
void StreamNode::lose_wave(Stream& stream, Stream::Up& filters, std::uint64_t wave, const RankSet& missing) {
  if (!filters.chain.empty() && !filters.chain.keeps_waves()) return;
  finish_up(stream, filters, wave, missing, {Packet{.lost = true}});
}

// Without filters, packets are unchanged. A packet made by filters has the wave's number only if each wave
// makes one packet. Otherwise the packets are counted, as the next process must not take several for one
// wave.
void StreamNode::finish_up(Stream& stream, Stream::Up& filters, std::uint64_t wave, const RankSet& missing,
                           std::vector<Packet> packets) {
  for (Packet& packet : packets) {
    packet.ranks = missing;
    packet.generation = filters.generation;
    packet.wave = filters.chain.keeps_waves() ? wave : stream.next_up++;
    if (!packet.lost) stream.counters.count_sent(packet.bytes());
    add_up(stream, std::move(packet));
  }
}

// Users get packets only, no marks.
void StreamNode::add_up(Stream& stream, Packet packet) {
  parent_.dirty = true;
  if (part_ == Part::front_end) {
    if (!packet.lost && !packet.ends) deliver(stream, std::move(packet));
    return;
  }
  count_dropped(stream, stream.up.add(std::move(packet), stream.options.when_full));
}

// A process may drop thousands of packets before it can send a message, so the parent gets their number
// together.
void StreamNode::count_dropped(Stream& stream, std::uint64_t packets) noexcept {
  stream.counters.dropped += packets;
  stream.dropped_untold += packets;
}

void StreamNode::notify_dropped(Stream& stream) {
  if (part_ == Part::front_end || parent_.outlet == nullptr || stream.dropped_untold == 0) return;
  post_up(
      {.kind = FrameKind::dropped, .stream = stream.id, .number = std::exchange(stream.dropped_untold, 0)});
}

// --- down -----------------------------------------------------------------------------------------------

bool StreamNode::has_room_down(const Stream& stream) const {
  return stream.options.when_full != WhenFull::wait || !held_down(stream).fills(stream.window);
}

// Packets that wait for the slowest child or, in a back-end, for the user.
Load StreamNode::held_down(const Stream& stream) const {
  if (part_ == Part::back_end) return stream.for_user.load();
  Load most;
  for (const auto& [child, flow] : stream.down) {
    most.packets = std::max(most.packets, flow.waiting().packets);
    most.bytes = std::max(most.bytes, flow.waiting().bytes);
  }
  return most;
}

/// Runs a packet that goes down through the filters. Passes on exceptions of filters.
std::vector<Packet> StreamNode::run_down(Stream& stream, Packet packet) {
  FilterChain& filters = stream.down_of(packet.wave);
  const RankSet ranks = packet.ranks;
  const std::uint64_t number = packet.wave;
  Wave wave{number, {}, {}};
  wave.packets.push_back({0, std::move(packet), Clock::now()});
  std::vector<Packet> out = filters.run(std::move(wave));
  for (Packet& made : out) {
    made.ranks = ranks;
    made.wave = number;
    made.made_by = 0;  // only used on the way up
  }
  return out;
}

void StreamNode::spread(Stream& stream, Packet packet) {
  if (stream.down_of(packet.wave).empty()) return spread_made(stream, std::move(packet));
  const std::uint64_t number = packet.wave;
  std::vector<Packet> out;
  try {
    out = run_down(stream, std::move(packet));
  } catch (const std::exception& error) {
    return report_fault(stream, number, own(error.what()));
  }
  for (Packet& made : out) spread_made(stream, std::move(made));
}

void StreamNode::spread_made(Stream& stream, Packet packet) {
  if (part_ == Part::back_end) return deliver(stream, std::move(packet));
  std::uint64_t dropped = 0;
  std::vector<Child> slow;
  auto at = kids_.begin();  // both are in order
  for (auto& [child, flow] : stream.down) {
    while (at != kids_.end() && at->first < child) ++at;
    Kid& kid = at != kids_.end() && at->first == child ? at->second : kids_.at(child);
    if (!packet.ranks.empty() && (packet.ranks & kid.ranks).empty()) continue;
    if (flow.is_full() && stream.options.when_full == WhenFull::disconnect) slow.push_back(child);
    dropped += flow.add(packet, stream.options.when_full);
    stream.counters.count_sent(packet.bytes());
    mark(kid.link);
  }
  count_dropped(stream, dropped);
  for (const Child child : slow) disconnect(child, fmt::format("too slow for stream {}", stream.id));
}

void StreamNode::deliver(Stream& stream, Packet packet) {
  const WhenFull when_full = stream.options.when_full;
  while (when_full != WhenFull::wait && stream.for_user.load().fills(stream.window)) {
    count_dropped(stream, 1);
    if (when_full != WhenFull::drop_oldest) return;
    (void)stream.for_user.take();
  }
  stream.for_user.add(std::move(packet));
  if (!std::exchange(stream.listed, true)) with_packets_.push_back(stream.id);
}

// --- credit ---------------------------------------------------------------------------------------------

void StreamNode::grant_children(Stream& stream) {
  for (auto& [child, flow] : stream.down) grant_child(stream, child, flow);
}

void StreamNode::grant_child(Stream& stream, Child child, Flow& flow) {
  const Load ahead = stream.options.when_full == WhenFull::wait ? held_up(stream) : Load{};
  if (!flow.grants(ahead)) return;  // the usual case, which avoids counting held packets
  const Load here{stream.waves.held(child), stream.waves.held_bytes(child)};
  if (const auto total = flow.grant(here + ahead))
    post(kids_.at(child).link, credit_frame(stream.id, *total));
}

void StreamNode::grant_parent(Stream& stream) {
  // The usual case, which avoids a loop over all children.
  if (part_ == Part::front_end || !stream.up.grants({})) return;
  const Load held = stream.options.when_full == WhenFull::wait ? held_down(stream) : Load{};
  if (const auto total = stream.up.grant(held)) post_up(credit_frame(stream.id, *total));
}

// --- sending --------------------------------------------------------------------------------------------

Deadline StreamNode::due() const {
  if (grants_wait_) return Deadline::now();
  Deadline first = Deadline::never();
  for (const auto& [number, stream] : streams_) {
    const auto look_at = [&](Clock::time_point due) {
      first = earlier(first, Deadline::after(std::max(Clock::duration::zero(), due - Clock::now())));
    };
    if (stream.busy.has_waiting()) look_at(stream.busy.due());
    if (const auto due = stream.waves.due(); due && has_room_up(stream)) look_at(*due);
  }
  return first;
}

bool StreamNode::is_busy(const Stream& stream, Clock::time_point now) const {
  const Synchronise how = stream.options.synchronise;
  const bool is_answered = how == Synchronise::wait_for_all || how == Synchronise::time_out;
  return is_answered && stream.next_down >= stream.waves.next_wave() &&
         stream.busy.waits(stream.next_down - stream.waves.next_wave(), stream.options.window, now);
}

void StreamNode::flush_after_send(std::uint32_t number) {
  const Clock::time_point now = Clock::now();
  const Stream* const stream = find(number);
  const bool busy = stream != nullptr && is_busy(*stream, now);
  const bool many = busy && stream->next_down - stream->waves.next_wave() >= BusyStream::many_from;
  if (holding_.may_hold(busy || !with_packets_.empty(), many, now)) return;
  // While the caller takes and sends, packets of a busy stream continue to wait, also if other threads have
  // the processor in between.
  for (auto& [each, other] : streams_) {
    if (&other != stream || !busy || !holding_.has_taken_within(BusyStream::pause, now)) release(other, now);
  }
  flush();
}

void StreamNode::release(Stream& stream, Clock::time_point now) {
  if (!stream.busy.has_waiting()) return;
  stream.busy.released(stream.next_down, now);
  stream.waits = false;
  for (const auto& [child, flow] : stream.down) mark(kids_.at(child).link);
}

// The other end has half a window left when this end grants more.
void StreamNode::flush_after_take() {
  const bool grants = !parent_.control.empty() || std::ranges::any_of(kids_, [](const auto& kid) {
    return !kid.second.link.control.empty();
  });
  const bool may_wait = grants_may_wait_ && !grants_wait_;
  if ((grants && !may_wait) || holding_.is_due()) return flush();
  grants_wait_ = grants;
}

void StreamNode::flush() {
  holding_.released();
  grants_wait_ = false;
  for (auto& [number, stream] : streams_) {
    if (stream.waves.due()) pump(stream, Clock::now());
    notify_dropped(stream);
    if (!stream.busy.has_waiting()) continue;
    const Clock::time_point now = Clock::now();
    stream.waits = is_busy(stream, now);
    if (!stream.waits) release(stream, now);
  }
  send_links();
}

void StreamNode::send_links() {
  // Packets that go up make room for children to send, and the reverse.
  if (std::exchange(parent_.dirty, false)) send_link(parent_, std::nullopt);
  if (std::exchange(kids_dirty_, false)) {
    for (auto& [child, kid] : kids_) {
      if (std::exchange(kid.link.dirty, false)) send_link(kid.link, child);
    }
  }
  if (std::exchange(parent_.dirty, false)) send_link(parent_, std::nullopt);
}

// Packs control frames and packets into messages of about batch_bytes. Frames and packets are removed only
// when their message was sent.
void StreamNode::send_link(NodeLink& link, std::optional<Child> child) {
  while (link.outlet != nullptr && link.outlet->sent() < link.outlet->may_send()) {
    std::vector<std::byte> message = link.control;
    packed_.clear();
    for (auto& [number, stream] : streams_) {
      if (child && stream.waits) continue;
      const auto found = child ? stream.down.find(*child) : stream.down.end();
      Flow* const flow = !child ? &stream.up : found != stream.down.end() ? &found->second : nullptr;
      const std::size_t sendable = flow == nullptr ? 0 : flow->sendable();
      std::size_t packets = 0;
      while (packets < sendable && message.size() < batch_bytes)
        append_packet(message, number, flow->at(packets++));
      if (packets > 0) packed_.push_back({&stream, flow, packets});
    }
    if (message.empty()) return;
    if (!link.outlet->push(message)) {
      mark(link);  // the queue of the connection is full: retried later
      return;
    }
    link.control.clear();
    for (const Packed& some : packed_) some.flow->sent(some.packets);
    for (const Packed& some : packed_) {
      if (child) {
        grant_parent(*some.stream);
      } else {
        pump(*some.stream, Clock::now());
        grant_children(*some.stream);
      }
    }
  }
}

}  // namespace eventspace::streams
