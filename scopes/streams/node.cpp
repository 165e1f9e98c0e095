#include "scopes/streams/node.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "scopes/streams/plugins/filter_library.h"
#include "tuplespace/system/error.h"

// Links, streams, and the user's end. Input from peers: node_receiving.cpp. Packets on their way:
// node_passing.cpp.

namespace eventspace::streams {
namespace {

Synchronisation make_waves(const StreamOptions& options, Part part) {
  if (options.synchronise == Synchronise::rule && part != Part::back_end)
    return Synchronisation(make_any_rule(options.rule));
  return {options.synchronise, options.time_out};
}

/// Clears the network's fields of a packet that a user has received and sends again.
void as_of_sender(Packet& packet) {
  packet.combined = packet.lost = packet.ends = false;
  packet.made_by = 0;
  packet.generation = 0;
}

}  // namespace

StreamNode::Stream::Stream(std::uint32_t number, StreamOptions chosen, Part part, const FilterPlace& place,
                           std::uint32_t generation)
    : id(number),
      options(std::move(chosen)),
      window{options.window, options.window_bytes},
      waves(make_waves(options, part)),
      up(window) {
  up_filters.push_back({generation, chain_up(options, part, place)});
  down_filters.push_back({0, chain_down(options, place)});
  waves.keep_waves(up_filters.back().chain.keeps_waves());
}

// --- links ----------------------------------------------------------------------------------------------

Child StreamNode::add_child(PushOutlet& outlet, const RankSet& ranks, const std::string& text,
                            std::optional<RankSet> may_bring, const std::string& endpoint, Part part) {
  const Child child = next_child_++;
  Kid& kid = kids_[child];
  kid.endpoint = endpoint;
  kid.may_bring = std::move(may_bring);
  kid.is_process = part == Part::internal;
  kid.link.outlet = &outlet;
  outlet.grant(link_window);
  post(kid.link, {.kind = FrameKind::welcome, .packet = {.ranks = ranks}});
  notify_lineage(kid.link);
  on_joined(child, kid, ranks, text);
  if (!endpoint.empty()) notify_siblings();
  return child;
}

void StreamNode::remove_child(Child child, const std::string& why) {
  const auto found = kids_.find(child);
  if (found == kids_.end()) return;
  const RankSet ranks = std::move(found->second.ranks);
  const bool was_part = !found->second.is_out;
  const bool was_internal = !found->second.endpoint.empty();
  kids_.erase(found);
  if (was_part) take_out(child, ranks, why);
  settle_claims();
  if (was_internal) offer_orphans(ranks - ranks_);
}

// The link stays until the child ends it, so that the child receives the reason even if it does not read now.
void StreamNode::disconnect(Child child, const std::string& why) {
  Kid& kid = kids_.at(child);
  if (std::exchange(kid.is_out, true)) return;
  Frame over{.kind = FrameKind::over};
  over.packet.body = std::as_bytes(std::span(why));
  post(kid.link, over);
  take_out(child, std::exchange(kid.ranks, {}), "disconnected: " + why);
  settle_claims();
}

void StreamNode::take_out(Child child, const RankSet& ranks, const std::string& why) {
  ranks_ = ranks_ - ranks;
  for (auto& [number, stream] : streams_) {
    stream.refusing.erase(child);
    if (part_with(stream, child)) pump(stream, Clock::now());
    grant_parent(stream);  // the child may have been the slowest
  }
  notify_event(EventKind::left, ranks, why);
}

// Removes the child from the stream; returns whether it was part of it. Packets that filters kept for it go
// up.
bool StreamNode::part_with(Stream& stream, Child child) {
  if (stream.down.erase(child) == 0) return false;
  stream.waves.leave(child);
  for (Stream::Up& filters : stream.up_filters) leave_filters(stream, filters, child);
  await_no_more(stream, child);
  return true;
}

void StreamNode::set_parent(PushOutlet* outlet, const std::string& endpoint) {
  parent_.outlet = outlet;
  parent_.heard = 0;
  parent_.control.clear();  // from the previous parent
  parent_.dirty = true;
  outlet->grant(link_window);
  if (part_ == Part::internal && !ranks_.empty())
    post_up({.kind = FrameKind::joined, .packet = {.ranks = ranks_}});
  parent_endpoint_ = endpoint;
  above_parent_.clear();
  siblings_.clear();
  siblings_of_parent_.clear();
  for (auto& [child, kid] : kids_) notify_lineage(kid.link);
}

void StreamNode::lose_parent() {
  parent_.outlet = nullptr;
  parent_.control.clear();
  for (auto& [number, stream] : streams_) {
    stream.up.suspend();
    stream.confirmed = false;
  }
}

void StreamNode::end(const std::string& why) {
  Frame over{.kind = FrameKind::over};
  over.packet.body = std::as_bytes(std::span(why));
  for (auto& [child, kid] : kids_) post(kid.link, over);
  if (over_.empty()) over_ = why.empty() ? "the network has ended" : why;
  if (!std::exchange(told_end_, true) && part_ != Part::front_end) notify_event(EventKind::ended, {}, why);
}

void StreamNode::look_at(std::optional<Child> child) {
  if (!child) {
    parent_.dirty = true;
  } else if (const auto kid = kids_.find(*child); kid != kids_.end()) {
    mark(kid->second.link);
  }
}

void StreamNode::post(NodeLink& link, const Frame& frame) {
  append(link.control, frame);
  mark(link);
}

void StreamNode::post_up(const Frame& frame) {
  if (part_ != Part::front_end) post(parent_, frame);
}

void StreamNode::notify_event(EventKind kind, const RankSet& ranks, const std::string& text) {
  if (part_ != Part::front_end && kind != EventKind::ended) {
    if (parent_.outlet == nullptr) return;  // all present end-points are sent when there is a parent
    Frame frame{.kind = kind == EventKind::joined ? FrameKind::joined : FrameKind::left,
                .packet = {.ranks = ranks}};
    frame.packet.body = std::as_bytes(std::span(text));
    return post_up(frame);
  }
  if (events_.size() < max_events) events_.push_back({kind, ranks, text});
}

std::optional<Event> StreamNode::take_event() {
  if (events_.empty()) return std::nullopt;
  Event event = std::move(events_.front());
  events_.pop_front();
  return event;
}

// --- streams --------------------------------------------------------------------------------------------

StreamNode::Stream* StreamNode::find(std::uint32_t stream) {
  const auto found = streams_.find(stream);
  return found == streams_.end() ? nullptr : &found->second;
}

RankSet StreamNode::members_below(const Stream& stream, const RankSet& ranks) {
  return stream.options.members.empty() ? ranks : stream.options.members & ranks;
}

std::uint32_t StreamNode::open(const StreamOptions& options) {
  if (streams_.size() >= max_streams)
    throw ConfigurationError(fmt::format("{} streams are open; close some first", streams_.size()));
  if (options.window == 0 || options.window > StreamOptions::max_window) {
    throw ConfigurationError(fmt::format("a stream with a window of {} packets; from 1 to {} are allowed",
                                         options.window, StreamOptions::max_window));
  }
  if (options.window_bytes == 0 || options.window_bytes > StreamOptions::max_window_bytes) {
    throw ConfigurationError(fmt::format("a stream with a window of {} bytes; from 1 to {} are allowed",
                                         options.window_bytes, StreamOptions::max_window_bytes));
  }
  require_few_filters(options.up, options.down);
  const std::uint32_t number = next_stream_++;
  add_stream(number, options, 0, 1);
  return number;
}

void StreamNode::require_few_filters(const std::vector<FilterUse>& up, const std::vector<FilterUse>& down) {
  if (std::max(up.size(), down.size()) <= StreamOptions::max_filters) return;
  throw ConfigurationError(
      fmt::format("a stream has at most {} filters in each direction", StreamOptions::max_filters));
}

void StreamNode::add_stream(std::uint32_t number, const StreamOptions& options, std::uint64_t next_wave,
                            std::uint32_t generation) {
  const FilterPlace place{.is_root = part_ == Part::front_end, .process = process_};
  const auto [made, is_new] = streams_.try_emplace(number, number, options, part_, place, generation);
  Stream& stream = made->second;
  stream.next_up = stream.next_down = next_wave;
  stream.waves.begin_at(next_wave, generation);
  for (auto& [child, kid] : kids_) introduce(stream, child, kid);
}

// The first wave in which a process that joins now can take part: it answers the next packet that goes down.
std::uint64_t StreamNode::next_expected(const Stream& stream) {
  return std::max(stream.next_down, stream.waves.next_wave());
}

// Adds a child to a stream, or updates the stream's end-points below it. If it no longer has any, it is
// removed, so that no wave waits for it.
void StreamNode::introduce(Stream& stream, Child child, Kid& kid) {
  const RankSet ranks = members_below(stream, kid.ranks);
  if (ranks.empty()) {
    if (stream.down.contains(child)) exclude(stream, child, kid);
    return;
  }
  if (stream.refusing.contains(child)) return stream.waves.lose(ranks);
  const std::uint64_t from = std::max(next_expected(stream), stream.waves.border());
  // The new end-points are reported before the queued packets leave.
  if (stream.options.synchronise != Synchronise::do_not_wait && stream.up.waiting().packets > 0)
    stream.up.name_missing(stream.waves.unknown(ranks));
  stream.waves.join(child, ranks, from, kid.is_process);
  join_filters(stream, child, ranks);
  if (!stream.down.try_emplace(child, stream.window).second) return;
  // The process below waits for a shorter time, so that its packets are here before the time is up.
  StreamOptions below = stream.options;
  below.time_out = below.time_out / 4 * 3;
  Frame frame{.kind = FrameKind::open, .stream = stream.id, .number = from, .packet = encode(below)};
  frame.packet.ranks = stream.options.members;
  frame.packet.generation = stream.generation();
  post(kid.link, frame);
  if (!stream.change) return;
  frame = {.kind = FrameKind::change, .stream = stream.id, .packet = encode(stream.change->options)};
  frame.packet.generation = stream.change->generation;
  post(kid.link, frame);
}

void StreamNode::close(std::uint32_t number) {
  Stream* const stream = find(number);
  if (stream == nullptr) return;
  for (const auto& [child, flow] : stream->down)
    post(kids_.at(child).link, {.kind = FrameKind::close, .stream = number});
  streams_.erase(number);
  std::erase(with_packets_, number);
}

// --- the user's end -------------------------------------------------------------------------------------

bool StreamNode::send(std::uint32_t number, Packet packet, std::optional<std::uint64_t> answers) {
  // A larger packet would not fit into a message, and would block its link.
  if (packet.bytes() > max_packet_bytes) {
    throw PacketError(fmt::format("a packet of {} bytes; {} are allowed: send less at once", packet.bytes(),
                                  max_packet_bytes));
  }
  Stream* const stream = find(number);
  if (stream == nullptr) return false;
  if (part_ == Part::front_end) {
    if (!has_room_down(*stream)) return false;
    packet.wave = stream->next_down++;
    as_of_sender(packet);
    spread(*stream, std::move(packet));
    stream->busy.sent(Clock::now());
    return true;
  }
  if (!has_room_up(*stream)) return false;
  packet.wave = std::max(stream->sent_up, answers.value_or(stream->next_up));
  stream->sent_up = stream->next_up = packet.wave + 1;
  packet.ranks = {};
  as_of_sender(packet);
  count_dropped(*stream, stream->up.add(std::move(packet), stream->options.when_full));
  parent_.dirty = true;
  return true;
}

std::optional<Received> StreamNode::take(std::optional<std::uint32_t> number) {
  if (!number) {
    if (with_packets_.empty()) return std::nullopt;
    number = with_packets_.front();
  }
  Stream* const stream = find(*number);
  if (stream == nullptr || stream->for_user.empty()) return std::nullopt;
  holding_.taken(Clock::now());
  constexpr std::uint64_t large_window = 32;
  grants_may_wait_ = stream->window.packets >= large_window;
  Received received{*number, stream->for_user.take()};
  std::erase(with_packets_, *number);
  stream->listed = !stream->for_user.empty();
  if (stream->listed) with_packets_.push_back(*number);
  if (part_ == Part::front_end) {
    pump(*stream, Clock::now());
    grant_children(*stream);
  } else {
    grant_parent(*stream);
  }
  return received;
}

}  // namespace eventspace::streams
