#include "scopes/streams/node.h"

#include <algorithm>
#include <exception>
#include <span>
#include <utility>

#include <eventspace/error.h>
#include "paths/pushes.h"

namespace eventspace::streams {

StreamNode::StreamNode(Part part, std::optional<std::uint32_t> process)
    : NodeLinks{ParentLink(part, process)},
      StreamTable(static_cast<NodeLinks&>(*this),
                  [this](Child child, const std::string& why) { disconnect(child, why); }),
      refuges_(parent, children),
      sender_(*this, *this) {}

// --- links ----------------------------------------------------------------------------------------------

Child StreamNode::add_child(PushOutlet& outlet, const RankSet& ranks, const std::string& text,
                            std::optional<RankSet> may_bring, const std::string& endpoint, Part part) {
  const Child child = children.add(outlet, endpoint, part == Part::internal);
  ChildLink& link = children.at(child);
  below.add(child, std::move(may_bring));
  link.link.post({.kind = FrameKind::welcome, .packet = {.ranks = ranks}});
  refuges_.introduce(link.link);
  join(child, link, ranks, text);
  if (!endpoint.empty()) refuges_.update_siblings();
  return child;
}

void StreamNode::remove_child(Child child, const std::string& why) {
  const ChildLink* const link = children.find(child);
  if (link == nullptr) return;
  const RankSet ranks = below.of(child);
  const bool was_internal = !link->endpoint.empty();
  if (!link->is_out) take_out(child, why);
  children.remove(child);
  settle_claims();
  if (was_internal) refuges_.offer_orphans(ranks - below.all());
}

// The link stays until the child ends it, so that the child receives the reason even if it does not read now.
void StreamNode::disconnect(Child child, const std::string& why) {
  ChildLink& link = children.at(child);
  if (std::exchange(link.is_out, true)) return;
  Frame over{.kind = FrameKind::over};
  over.packet.body = std::as_bytes(std::span(why));
  link.link.post(over);
  take_out(child, "disconnected: " + why);
  settle_claims();
}

void StreamNode::take_out(Child child, const std::string& why) {
  const RankSet ranks = below.remove(child);
  for (auto& [number, stream] : streams()) stream.remove_child(child);
  parent.report_event(EventKind::left, ranks, why);
}

// An end-point is below one child only: if it is attached elsewhere, it stays there until it is lost there.
void StreamNode::join(Child child, ChildLink& link, const RankSet& ranks, const std::string& text) {
  const EndPointsBelow::Joined joined = below.join(child, ranks);
  if (!joined.elsewhere.empty()) {
    ++malformed_;
    if (link.is_process) {  // its packets contain them, as it has adopted them
      below.claim(child, joined.elsewhere);
      for (auto& [number, stream] : streams())
        stream.passing().waves().claim(child, members_among(stream.options(), joined.elsewhere));
    }
  }
  for (const Child previous : joined.previous) {
    for (auto& [number, stream] : streams()) stream.update_child(previous, children.at(previous));
  }
  for (auto& [number, stream] : streams()) stream.update_child(child, link);
  if (!joined.ranks.empty()) link.link.post({.kind = FrameKind::known});
  if (!joined.news.empty()) parent.report_event(EventKind::joined, joined.news, text);
}

// Children notice losses at different times: one may have adopted end-points that still seem to be below
// another.
void StreamNode::settle_claims() {
  for (auto& [child, link] : children) {
    const RankSet free = below.take_free_claims(child);
    if (!free.empty()) join(child, link, free, "");
  }
}

void StreamNode::set_parent(PushOutlet* outlet, const std::string& endpoint) {
  parent.link().connect(*outlet);
  if (parent.part() == Part::internal && !below.all().empty())
    parent.post({.kind = FrameKind::joined, .packet = {.ranks = below.all()}});
  refuges_.set_parent(endpoint);
}

void StreamNode::lose_parent() {
  parent.link().lose();
  for (auto& [number, stream] : streams()) stream.lose_parent();
}

void StreamNode::end(const std::string& why) {
  Frame over{.kind = FrameKind::over};
  over.packet.body = std::as_bytes(std::span(why));
  children.post_to_all(over);
  if (over_.empty()) over_ = why.empty() ? "the network has ended" : why;
  if (!std::exchange(told_end_, true) && parent.part() != Part::front_end)
    parent.report_event(EventKind::ended, {}, why);
}

void StreamNode::look_at(std::optional<Child> child) {
  if (!child) {
    parent.link().mark();
  } else if (ChildLink* const link = children.find(*child)) {
    link->link.mark();
  }
}

// --- input from children --------------------------------------------------------------------------------

void StreamNode::receive_from_child(Child child, Bytes message) {
  ChildLink* const link = children.find(child);
  if (link == nullptr || link->is_out) return;
  link->link.count_message();
  auto frames = read_frames(message);
  if (!frames) {
    ++malformed_;
    return;
  }
  for (std::size_t at = 0; at < frames->size(); ++at) {
    Frame& frame = (*frames)[at];
    const Frame* const next = at + 1 < frames->size() ? &(*frames)[at + 1] : nullptr;
    const bool more_follow = next != nullptr && next->kind == FrameKind::data && next->stream == frame.stream;
    frame.kind == FrameKind::data ? on_data_up(child, frame, more_follow) : on_child(child, *link, frame);
  }
}

// A stream that is unknown was closed here, and will be closed there soon.
void StreamNode::on_child(Child child, ChildLink& link, Frame& frame) {
  NodeStream* const stream = find(frame.stream);
  switch (frame.kind) {
    case FrameKind::credit:
      if (stream == nullptr) return;
      if (StreamFlows::Branch* const branch = stream->flows().find_child(child))
        branch->flow.hear({frame.number, frame.bytes});
      link.link.mark();
      return;
    case FrameKind::fault:
      if (stream != nullptr) stream->passing().report_fault(frame.number, text_of(frame.packet));
      return;
    case FrameKind::joined: {
      // A child must not bring end-points that could take the place of others that belong elsewhere.
      const RankSet allowed = below.allowed(child, frame.packet.ranks);
      if (allowed != frame.packet.ranks) ++malformed_;
      return join(child, link, allowed, text_of(frame.packet));
    }
    case FrameKind::left:
      return on_left(child, frame);
    case FrameKind::dropped:
      if (stream != nullptr) stream->flows().count_dropped_below(frame.number);
      return parent.post(frame);
    case FrameKind::refused:
      if (stream != nullptr) stream->refuse_child(child, frame);
      return;
    case FrameKind::agreed:
      if (stream != nullptr) stream->change().on_agreed(child, frame);
      return;
    default:
      ++malformed_;
  }
}

// The child continues to name them as missing in its waves.
void StreamNode::on_left(Child child, const Frame& frame) {
  const RankSet left = below.leave(child, frame.packet.ranks);
  parent.report_event(EventKind::left, left, text_of(frame.packet));
  settle_claims();
}

// If another packet of the stream follows, waves are formed after that one.
void StreamNode::on_data_up(Child child, Frame& frame, bool more_follow) {
  NodeStream* const stream = find(frame.stream);
  if (stream == nullptr) return;  // closed here, and soon there
  const Clock::time_point now = Clock::now();
  stream->passing().receive(child, std::move(frame.packet), now);
  if (more_follow) return;
  stream->passing().pump(now);
  stream->passing().grant_child(child);
}

// --- input from the parent ------------------------------------------------------------------------------

void StreamNode::receive_from_parent(Bytes message) {
  parent.link().count_message();
  auto frames = read_frames(message);
  if (!frames) {
    ++malformed_;
    return;
  }
  for (Frame& frame : *frames) {
    try {
      on_parent(frame);
    } catch (const PacketError&) {  // the frame breaks the rules
      ++malformed_;
    }
  }
}

void StreamNode::on_parent(Frame& frame) {
  switch (frame.kind) {
    case FrameKind::data:
      return on_data_down(frame);
    case FrameKind::open:
      return on_open(frame);
    case FrameKind::close:
      return close(frame.stream);
    case FrameKind::welcome:
      welcome_ = true;
      if (parent.part() == Part::back_end) below.be(frame.packet.ranks);
      return;
    case FrameKind::lineage:
      return refuges_.on_lineage(frame);
    case FrameKind::known:
      return keep_confirmed();
    case FrameKind::siblings:
      return refuges_.on_siblings(frame);
    case FrameKind::orphans:
      return refuges_.on_orphans(frame);
    case FrameKind::over:
      return end(text_of(frame.packet));
    default:
      on_stream_frame(frame);
  }
}

void StreamNode::on_stream_frame(const Frame& frame) {
  NodeStream* const stream = find(frame.stream);
  switch (frame.kind) {
    case FrameKind::credit:
      if (stream != nullptr) stream->flows().up().hear({frame.number, frame.bytes});
      parent.link().mark();
      if (stream != nullptr) stream->passing().pump(Clock::now());
      return;
    case FrameKind::members:
      if (stream != nullptr) stream->set_members(frame.packet.ranks, children);
      return;
    case FrameKind::change:
      if (stream != nullptr) stream->change().on_change(frame);
      return;
    case FrameKind::begin:
      if (stream != nullptr) stream->change().on_begin(frame);
      return;
    case FrameKind::keep:
      if (stream != nullptr) stream->change().on_keep(frame);
      return;
    default:
      ++malformed_;
  }
}

void StreamNode::on_open(Frame& frame) {
  if (NodeStream* const known = find(frame.stream)) {  // this is a new parent
    if (const auto failure = known->open_again(frame)) refuse(frame, *failure);
    return;
  }
  if (is_full()) {
    ++malformed_;
    return;
  }
  try {
    StreamOptions options = decode_options(frame.packet);
    options.members = frame.packet.ranks;
    add(frame.stream, options, frame.number, std::max(1U, frame.packet.generation));
  } catch (const std::exception& error) {  // for example a filter that is missing in this process
    refuse(frame, parent.own(error.what()));
  }
}

void StreamNode::refuse(const Frame& open, const std::string& reason) {
  Frame refused{.kind = FrameKind::refused, .stream = open.stream, .number = open.number};
  refused.packet.body = std::as_bytes(std::span(reason));
  parent.post(refused);
}

void StreamNode::on_data_down(Frame& frame) {
  NodeStream* const stream = find(frame.stream);
  if (stream == nullptr) return;
  drop_slow(frame.stream, stream->receive_from_parent(frame));
  stream->flows().grant_parent();
}

}  // namespace eventspace::streams
