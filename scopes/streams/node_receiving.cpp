#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scopes/streams/node.h"
#include "tuplespace/system/error.h"

// Input from peers. Each frame is checked before it is acted on.

namespace eventspace::streams {
void StreamNode::count_message(NodeLink& link) {
  ++link.heard;
  // Grants are for half of the window, to reduce their number.
  if (link.outlet != nullptr && link.heard % (link_window / 2) == 0)
    link.outlet->grant(link.heard + link_window);
}

void StreamNode::receive_from_child(Child child, Bytes message) {
  const auto kid = kids_.find(child);
  if (kid == kids_.end()) return;
  if (kid->second.is_out) return;
  count_message(kid->second.link);
  auto frames = read_frames(message);
  if (!frames) {
    ++malformed_;
    return;
  }
  for (std::size_t at = 0; at < frames->size(); ++at) {
    Frame& frame = (*frames)[at];
    const Frame* const next = at + 1 < frames->size() ? &(*frames)[at + 1] : nullptr;
    const bool goes_on = next != nullptr && next->kind == FrameKind::data && next->stream == frame.stream;
    frame.kind == FrameKind::data ? on_data_up(child, kid->second, frame, goes_on)
                                  : on_child(child, kid->second, frame);
  }
}

void StreamNode::receive_from_parent(Bytes message) {
  count_message(parent_);
  auto frames = read_frames(message);
  if (!frames) {
    ++malformed_;
    return;
  }
  for (Frame& frame : *frames) on_parent(frame);
}

void StreamNode::on_child(Child child, Kid& kid, Frame& frame) {
  Stream* const stream = find(frame.stream);
  switch (frame.kind) {
    case FrameKind::credit:
      // The stream was closed here, and will be closed there soon.
      if (stream == nullptr) return;
      if (const auto flow = stream->down.find(child); flow != stream->down.end())
        flow->second.hear({frame.number, frame.bytes});
      mark(kid.link);
      return;
    case FrameKind::fault:
      if (stream != nullptr) report_fault(*stream, frame.number, text_of(frame.packet));
      return;
    case FrameKind::joined:
      return on_joined(child, kid, brought(kid, frame.packet.ranks), text_of(frame.packet));
    case FrameKind::left:
      // The child continues to name them as missing in its waves.
      ranks_ = ranks_ - (frame.packet.ranks & kid.ranks);
      notify_event(EventKind::left, frame.packet.ranks & kid.ranks, text_of(frame.packet));
      kid.gone = kid.gone | (frame.packet.ranks & kid.ranks);
      kid.claimed = kid.claimed - frame.packet.ranks;
      return settle_claims();
    case FrameKind::dropped:
      if (stream != nullptr) stream->counters.dropped += frame.number;
      return post_up(frame);
    case FrameKind::refused:
      if (stream != nullptr) on_refused(child, *stream, frame);
      return;
    case FrameKind::agreed:
      if (stream != nullptr) on_agreed(child, *stream, frame);
      return;
    default:
      ++malformed_;
  }
}

void StreamNode::on_parent(Frame& frame) {
  Stream* const stream = find(frame.stream);
  switch (frame.kind) {
    case FrameKind::data:
      return on_data_down(frame);
    case FrameKind::credit:
      if (stream != nullptr) stream->up.hear({frame.number, frame.bytes});
      parent_.dirty = true;
      if (stream != nullptr) pump(*stream, Clock::now());
      return;
    case FrameKind::open:
      return on_open(frame);
    case FrameKind::close:
      return close(frame.stream);
    case FrameKind::members:
      if (stream != nullptr) change_members(*stream, frame.packet.ranks);
      return;
    case FrameKind::change:
      if (stream != nullptr) on_change(*stream, frame);
      return;
    case FrameKind::begin:
      if (stream != nullptr) on_begin(*stream, frame);
      return;
    case FrameKind::keep:
      if (stream != nullptr) on_keep(*stream, frame);
      return;
    case FrameKind::welcome:
      welcome_ = true;
      if (part_ == Part::back_end) ranks_ = frame.packet.ranks;
      return;
    case FrameKind::lineage:
      return on_lineage(frame);
    case FrameKind::known:
      return on_known();
    case FrameKind::siblings:
      return on_siblings(frame);
    case FrameKind::orphans:
      adoptable_ = adoptable_ | frame.packet.ranks;
      return;
    case FrameKind::over:
      return end(text_of(frame.packet));
    default:
      ++malformed_;
  }
}

// These end-points have left another child, and are now below this one.
void StreamNode::take_away(Child child, const RankSet& ranks) {
  for (auto& [other, kid] : kids_) {
    if (other == child || (kid.gone & ranks).empty()) continue;
    kid.ranks = kid.ranks - (kid.gone & ranks);
    kid.gone = kid.gone - ranks;
    for (auto& [number, stream] : streams_) introduce(stream, other, kid);
  }
}

// A child must not bring end-points that could take the place of others that belong elsewhere.
RankSet StreamNode::brought(const Kid& kid, const RankSet& ranks) {
  if (!kid.may_bring) return ranks;
  RankSet allowed = ranks & (*kid.may_bring | kid.ranks);
  if (allowed != ranks) ++malformed_;
  return allowed;
}

// The packets of the child contain these end-points, which it has adopted, although here they still belong to
// another child.
void StreamNode::claim(Child child, Kid& kid, const RankSet& ranks) {
  kid.claimed = kid.claimed | ranks;
  for (auto& [number, stream] : streams_) stream.waves.claim(child, members_below(stream, ranks));
}

// Children notice losses at different times: one may have adopted end-points that still seem to be below
// another.
void StreamNode::settle_claims() {
  for (auto& [child, kid] : kids_) {
    const RankSet free = kid.claimed - ranks_;
    if (free.empty() || kid.is_out) continue;
    kid.claimed = kid.claimed - free;
    on_joined(child, kid, free, "");
  }
}

// An end-point is below one child only: if it is attached elsewhere, it stays there until it is lost there.
void StreamNode::on_joined(Child child, Kid& kid, RankSet ranks, const std::string& text) {
  const RankSet elsewhere = (ranks & ranks_) - kid.ranks;
  if (!elsewhere.empty()) {
    ++malformed_;
    ranks = ranks - elsewhere;
    if (kid.is_process) claim(child, kid, elsewhere);
  }
  take_away(child, ranks);
  const RankSet news = ranks - (kid.ranks - kid.gone);
  kid.ranks = kid.ranks | ranks;
  kid.gone = kid.gone - ranks;
  ranks_ = ranks_ | ranks;
  for (auto& [number, stream] : streams_) introduce(stream, child, kid);
  if (!ranks.empty()) post(kid.link, {.kind = FrameKind::known});
  if (!news.empty()) notify_event(EventKind::joined, news, text);
}

void StreamNode::on_known() {
  std::vector<std::uint32_t> closed;
  for (const auto& [number, stream] : streams_) {
    if (!stream.confirmed) closed.push_back(number);
  }
  for (const std::uint32_t number : closed) close(number);
  for (auto& [number, stream] : streams_) pump(stream, Clock::now());  // a change may have ended
}

void StreamNode::on_open(Frame& frame) {
  if (Stream* const known = find(frame.stream)) {  // this is a new parent
    known->up.restart();
    known->confirmed = true;
    known->next_up = std::max(known->next_up, frame.number);
    parent_.dirty = true;
    return catch_up(*known, frame);
  }
  if (streams_.size() >= max_streams) {
    ++malformed_;
    return;
  }
  try {
    StreamOptions options = decode_options(frame.packet);
    options.members = frame.packet.ranks;
    add_stream(frame.stream, options, frame.number, std::max(1U, frame.packet.generation));
  } catch (const std::exception& error) {  // for example a filter that is missing in this process
    refuse(frame, own(error.what()));
  }
}

void StreamNode::refuse(const Frame& open, const std::string& reason) {
  Frame refused{.kind = FrameKind::refused, .stream = open.stream, .number = open.number};
  refused.packet.body = std::as_bytes(std::span(reason));
  post_up(refused);
}

// The child lacks the filters, so its end-points are missing in all waves, and no wave waits for it.
void StreamNode::on_refused(Child child, Stream& stream, const Frame& frame) {
  if (!stream.down.contains(child)) return;
  stream.refusing.insert(child);
  report_fault(stream, frame.number, text_of(frame.packet));
  part_with(stream, child);
  pump(stream, Clock::now());
  grant_parent(stream);
}

/// Prefixes an error of this process itself.
std::string StreamNode::own(const std::string& reason) const {
  if (part_ != Part::internal || !process_) return reason;
  return fmt::format("process {}: {}", *process_, reason);
}

void StreamNode::take_in(Stream& stream, Child child, const Kid& kid, Packet packet, Clock::time_point now) {
  stream.counters.count_received(packet.bytes());
  if (!kid.is_process) {  // it does not have filters
    packet.lost = packet.ends = false;
    packet.made_by = 0;
    packet.generation = 0;
  }
  stream.waves.add(child, std::move(packet), now);
}

// If another packet of the stream follows, waves are formed after that one.
void StreamNode::on_data_up(Child child, const Kid& kid, Frame& frame, bool goes_on) {
  Stream* const stream = find(frame.stream);
  if (stream == nullptr) return;  // closed here, and soon there
  const auto flow = stream->down.find(child);
  if (flow == stream->down.end()) {
    ++stream->counters.refused;
    return;
  }
  const Clock::time_point now = Clock::now();
  if (flow->second.receive(frame.packet.bytes())) {
    take_in(*stream, child, kid, std::move(frame.packet), now);
  } else {
    ++stream->counters.refused;
  }
  if (goes_on) return;
  pump(*stream, now);
  grant_child(*stream, child, flow->second);
}

void StreamNode::on_data_down(Frame& frame) {
  Stream* const stream = find(frame.stream);
  if (stream == nullptr) return;
  if (!stream->up.receive(frame.packet.bytes())) {
    ++stream->counters.refused;
    return;
  }
  stream->counters.count_received(frame.packet.bytes());
  stream->next_down = std::max(stream->next_down, frame.number + 1);
  spread(*stream, std::move(frame.packet));
  grant_parent(*stream);
}

void StreamNode::report_handler_fault(std::uint32_t number, std::uint64_t wave, const std::string& why) {
  Stream* const stream = find(number);
  if (stream == nullptr) return;  // closed by the function
  const std::string who = part_ == Part::front_end ? "" : fmt::format("back-end {}: ", ranks_.to_text(20));
  report_fault(*stream, wave, fmt::format("{}a function that was given the packet has thrown: {}", who, why));
}

void StreamNode::report_fault(Stream& stream, std::uint64_t wave, const std::string& reason) {
  ++stream.counters.faults;
  if (part_ == Part::front_end)
    return notify_event(EventKind::fault, {}, fmt::format("stream {}, wave {}: {}", stream.id, wave, reason));
  Frame fault{.kind = FrameKind::fault, .stream = stream.id, .number = wave};
  fault.packet.body = std::as_bytes(std::span(reason));
  post_up(fault);
}

}  // namespace eventspace::streams
