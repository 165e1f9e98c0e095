#include "scopes/streams/node.h"

#include <algorithm>
#include <exception>
#include <span>
#include <utility>

#include <eventspace/error.h>
#include "paths/pushes.h"

namespace eventspace::streams {

StreamNode::StreamNode(Part part, std::optional<std::uint32_t> process)
    : links_{ParentLink(part, process)},
      streams_(links_, [this](Child child, const std::string& why) { membership_.disconnect(child, why); }),
      refuges_(links_.parent, links_.children),
      membership_(links_, streams_, refuges_),
      sender_(links_, streams_) {}

// --- links ----------------------------------------------------------------------------------------------

Child StreamNode::add_child(PushOutlet& outlet, const RankSet& ranks, const std::string& text,
                            std::optional<RankSet> may_bring, const std::string& endpoint, Part part) {
  return membership_.add(outlet, ranks, text, std::move(may_bring), endpoint, part);
}

void StreamNode::remove_child(Child child, const std::string& why) { membership_.remove(child, why); }

void StreamNode::set_parent(PushOutlet* outlet, const std::string& endpoint) {
  links_.parent.link().connect(*outlet);
  if (links_.parent.part() == Part::internal && !links_.below.all().empty())
    links_.parent.post({.kind = FrameKind::joined, .packet = {.ranks = links_.below.all()}});
  refuges_.set_parent(endpoint);
}

void StreamNode::lose_parent() {
  links_.parent.link().lose();
  for (auto& [number, stream] : streams_.all()) stream.lose_parent();
}

void StreamNode::end(const std::string& why) {
  Frame over{.kind = FrameKind::over};
  over.packet.body = std::as_bytes(std::span(why));
  links_.children.post_to_all(over);
  if (over_.empty()) over_ = why.empty() ? "the network has ended" : why;
  if (!std::exchange(told_end_, true) && links_.parent.part() != Part::front_end)
    links_.parent.report_event(EventKind::ended, {}, why);
}

void StreamNode::look_at(std::optional<Child> child) {
  if (!child) {
    links_.parent.link().mark();
  } else if (ChildLink* const link = links_.children.find(*child)) {
    link->link.mark();
  }
}

// --- input from children --------------------------------------------------------------------------------

void StreamNode::receive_from_child(Child child, Bytes message) {
  ChildLink* const link = links_.children.find(child);
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
  NodeStream* const stream = streams_.find(frame.stream);
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
    case FrameKind::joined:
      return membership_.on_joined(child, frame);
    case FrameKind::left:
      return membership_.on_left(child, frame);
    case FrameKind::dropped:
      if (stream != nullptr) stream->flows().count_dropped_below(frame.number);
      return links_.parent.post(frame);
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

// If another packet of the stream follows, waves are formed after that one.
void StreamNode::on_data_up(Child child, Frame& frame, bool more_follow) {
  NodeStream* const stream = streams_.find(frame.stream);
  if (stream == nullptr) return;  // closed here, and soon there
  const auto now = StreamTable::Clock::now();
  stream->passing().receive(child, std::move(frame.packet), now);
  if (more_follow) return;
  stream->passing().pump(now);
  stream->passing().grant_child(child);
}

// --- input from the parent ------------------------------------------------------------------------------

void StreamNode::receive_from_parent(Bytes message) {
  links_.parent.link().count_message();
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
      return streams_.close(frame.stream);
    case FrameKind::welcome:
      welcome_ = true;
      if (links_.parent.part() == Part::back_end) links_.below.be(frame.packet.ranks);
      return;
    case FrameKind::lineage:
      return refuges_.on_lineage(frame);
    case FrameKind::known:
      return streams_.keep_confirmed();
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
  NodeStream* const stream = streams_.find(frame.stream);
  switch (frame.kind) {
    case FrameKind::credit:
      if (stream != nullptr) stream->flows().up().hear({frame.number, frame.bytes});
      links_.parent.link().mark();
      if (stream != nullptr) stream->passing().pump(StreamTable::Clock::now());
      return;
    case FrameKind::members:
      if (stream != nullptr) stream->set_members(frame.packet.ranks, links_.children);
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
  if (NodeStream* const known = streams_.find(frame.stream)) {  // this is a new parent
    if (const auto failure = known->open_again(frame)) refuse(frame, *failure);
    return;
  }
  if (streams_.is_full()) {
    ++malformed_;
    return;
  }
  try {
    StreamOptions options = decode_options(frame.packet);
    options.members = frame.packet.ranks;
    streams_.add(frame.stream, options, frame.number, std::max(1U, frame.packet.generation));
  } catch (const std::exception& error) {  // for example a filter that is missing in this process
    refuse(frame, links_.parent.own(error.what()));
  }
}

void StreamNode::refuse(const Frame& open, const std::string& reason) {
  Frame refused{.kind = FrameKind::refused, .stream = open.stream, .number = open.number};
  refused.packet.body = std::as_bytes(std::span(reason));
  links_.parent.post(refused);
}

void StreamNode::on_data_down(Frame& frame) {
  NodeStream* const stream = streams_.find(frame.stream);
  if (stream == nullptr) return;
  streams_.drop_slow(frame.stream, stream->receive_from_parent(frame));
  stream->flows().grant_parent();
}

}  // namespace eventspace::streams
