#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "scopes/streams/node.h"
#include "scopes/streams/packets/format.h"
#include "tuplespace/system/error.h"

// The filters of streams, and their replacement while a stream is in use, see FilterChange.

namespace eventspace::streams {
namespace {

using FirstPacket = Format<std::uint64_t>;

constexpr const char* too_many =
    "earlier changes of the filters of this stream have not come into effect yet";

}  // namespace

// --- filters --------------------------------------------------------------------------------------------

// Back-ends do not combine packets, so they do not need filters for the way up.
FilterChain StreamNode::chain_up(const StreamOptions& options, Part part, const FilterPlace& place) {
  return part == Part::back_end ? FilterChain() : FilterChain(options.up, place);
}

FilterChain StreamNode::chain_down(const StreamOptions& options, FilterPlace place) {
  place.down = true;
  return {options.down, place};
}

StreamNode::Stream::Up& StreamNode::Stream::up_of(std::uint32_t generation) {
  const auto found = std::ranges::find(up_filters, generation, &Up::generation);
  return found == up_filters.end() ? up_filters.front() : *found;
}

// Packets that go down come in order.
FilterChain& StreamNode::Stream::down_of(std::uint64_t packet) {
  while (down_filters.size() > 1 && down_filters[1].first <= packet) down_filters.pop_front();
  return down_filters.front().chain;
}

void StreamNode::join_filters(Stream& stream, Child child, const RankSet& ranks) {
  try {
    for (Stream::Up& filters : stream.up_filters) filters.chain.join(child, ranks);
  } catch (const std::exception& error) {
    report_fault(stream, stream.waves.next_wave(), own(error.what()));
  }
}

// Packets that a filter kept for a child that sends nothing more go up.
void StreamNode::leave_filters(Stream& stream, Stream::Up& filters, Child child) {
  try {
    std::vector<Packet> rest = filters.chain.leave(child);
    if (!rest.empty()) finish_up(stream, filters, stream.waves.next_wave(), {}, std::move(rest));
  } catch (const std::exception& error) {
    report_fault(stream, stream.waves.next_wave(), own(error.what()));
  }
}

const StreamOptions* StreamNode::options(std::uint32_t number) const {
  const auto found = streams_.find(number);
  return found == streams_.end() ? nullptr : &found->second.options;
}

// --- in the front-end -----------------------------------------------------------------------------------

bool StreamNode::begin_change(std::uint32_t number, const std::vector<FilterUse>& up,
                              const std::vector<FilterUse>& down) {
  Stream* const stream = find(number);
  if (stream == nullptr) return false;
  require_few_filters(up, down);
  if (stream->change) throw ConfigurationError("the filters of this stream are being replaced already");
  StreamOptions options = stream->options;
  options.up = up;
  options.down = down;
  prepare(*stream, std::move(options), stream->generation() + 1);
  if (!stream->change->failure.empty()) (void)end_change(number);  // throws
  return true;
}

bool StreamNode::has_answers(std::uint32_t number) const {
  const auto found = streams_.find(number);
  if (found == streams_.end() || !found->second.change) return true;
  return found->second.change->awaited.empty() || !found->second.change->failure.empty();
}

std::optional<std::uint64_t> StreamNode::end_change(std::uint32_t number) {
  Stream* const stream = find(number);
  if (stream == nullptr || !stream->change) return std::nullopt;
  const FilterChange& change = *stream->change;
  const std::string failure = change.failure;
  if (!failure.empty() || !change.awaited.empty()) {
    drop_unanswered_change(number);
    if (!failure.empty()) throw ConfigurationError(failure);
    return std::nullopt;
  }
  const std::uint64_t first_wave = std::max(change.first_wave, stream->waves.next_of_back_ends());
  Frame frame{.kind = FrameKind::begin, .stream = number, .number = first_wave};
  frame.packet = FirstPacket::make(0, stream->next_down);
  frame.packet.generation = change.generation;
  notify_children(*stream, frame);
  use_change(*stream, first_wave, stream->next_down);
  return first_wave;
}

void StreamNode::drop_unanswered_change(std::uint32_t number) {
  Stream* const stream = find(number);
  if (stream == nullptr || !stream->change) return;
  Frame frame{.kind = FrameKind::keep, .stream = number};
  frame.packet.generation = stream->change->generation;
  notify_children(*stream, frame);
  drop_change(*stream);
  pump(*stream, Clock::now());
}

// --- in each process ------------------------------------------------------------------------------------

// Makes the new filters, holds the waves, and sends the request to the processes below.
void StreamNode::prepare(Stream& stream, StreamOptions options, std::uint32_t generation) {
  FilterChange& change = stream.change.emplace();
  change.generation = generation;
  change.options = std::move(options);
  stream.waves.hold(true);
  try {
    if (stream.up_filters.size() >= max_generations) throw ConfigurationError(too_many);
    const FilterPlace place{.is_root = part_ == Part::front_end, .process = process_};
    change.up = chain_up(change.options, part_, place);
    change.down = chain_down(change.options, place);
  } catch (const std::exception& error) {
    change.failure = own(error.what());
    return;
  }
  Frame frame{.kind = FrameKind::change, .stream = stream.id, .packet = encode(change.options)};
  frame.packet.generation = generation;
  notify_children(stream, frame);
  for (const auto& [child, flow] : stream.down) {
    if (kids_.at(child).is_process) change.awaited.insert(child);
  }
}

void StreamNode::notify_children(Stream& stream, const Frame& frame) {
  for (const auto& [child, flow] : stream.down) post(kids_.at(child).link, frame);
}

void StreamNode::on_change(Stream& stream, const Frame& frame) {
  if (stream.change || frame.packet.generation <= stream.generation()) {
    ++malformed_;
    return;
  }
  try {
    StreamOptions options = stream.options;
    const StreamOptions changed = decode_options(frame.packet);
    options.up = changed.up;
    options.down = changed.down;
    prepare(stream, std::move(options), frame.packet.generation);
  } catch (const PacketError&) {
    ++malformed_;
    return;
  }
  if (stream.change->awaited.empty()) answer_change(stream);
}

void StreamNode::on_agreed(Child child, Stream& stream, const Frame& frame) {
  if (!stream.change || frame.packet.generation != stream.change->generation) return;  // too late
  FilterChange& change = *stream.change;
  change.first_wave = std::max(change.first_wave, frame.number);
  if (change.failure.empty()) change.failure = text_of(frame.packet);
  await_no_more(stream, child);
}

void StreamNode::await_no_more(Stream& stream, Child child) {
  if (!stream.change || stream.change->awaited.erase(child) == 0) return;
  if (stream.change->awaited.empty()) answer_change(stream);
}

// Back-ends do not process waves, so they only answer if they cannot make the filters, and then leave the
// stream.
void StreamNode::answer_change(Stream& stream) {
  FilterChange& change = *stream.change;
  if (part_ == Part::front_end || std::exchange(change.is_answered, true)) return;
  if (part_ == Part::back_end && change.failure.empty()) return;
  Frame frame{.kind = part_ == Part::back_end ? FrameKind::refused : FrameKind::agreed, .stream = stream.id};
  frame.number = std::max(change.first_wave, stream.waves.next_of_back_ends());
  frame.packet.generation = change.generation;
  frame.packet.body = std::as_bytes(std::span(change.failure));
  post_up(frame);
}

void StreamNode::on_begin(Stream& stream, const Frame& frame) {
  if (!stream.change || frame.packet.generation != stream.change->generation ||
      !stream.change->failure.empty())
    return;
  std::uint64_t first_packet = 0;
  try {
    const FirstPacket::Read read(frame.packet);
    first_packet = std::get<0>(read.values());
  } catch (const PacketError&) {
    ++malformed_;
    return;
  }
  notify_children(stream, frame);
  use_change(stream, frame.number, first_packet);
}

void StreamNode::on_keep(Stream& stream, const Frame& frame) {
  if (!stream.change || frame.packet.generation != stream.change->generation) return;
  notify_children(stream, frame);
  drop_change(stream);
  pump(stream, Clock::now());
}

void StreamNode::drop_change(Stream& stream) {
  stream.change.reset();
  stream.waves.hold(false);
}

void StreamNode::use_change(Stream& stream, std::uint64_t first_wave, std::uint64_t first_packet) {
  FilterChange change = std::move(*stream.change);
  drop_change(stream);
  change.options.members = stream.options.members;  // they may have changed since
  stream.options = std::move(change.options);
  if (stream.down_filters.back().first == first_packet) stream.down_filters.pop_back();
  stream.down_filters.push_back({first_packet, std::move(change.down)});
  stream.up_filters.push_back({change.generation, std::move(change.up)});
  if (part_ == Part::back_end) return stream.up_filters.pop_front();  // it does not form waves
  FilterChain& up = stream.up_filters.back().chain;
  stream.waves.begin_generation(change.generation, first_wave, up.keeps_waves());
  for (const auto& [child, flow] : stream.down) {
    try {
      up.join(child, members_below(stream, kids_.at(child).ranks));
    } catch (const std::exception& error) {
      report_fault(stream, first_wave, own(error.what()));
    }
  }
  pump(stream, Clock::now());
}

// No more waves of this generation come: packets that its filters still keep go up, and then the end of the
// generation. Later waves have the same numbers in all processes.
void StreamNode::end_generation(Stream& stream, std::uint32_t generation) {
  if (stream.up_filters.size() < 2 || stream.up_filters.front().generation != generation) return;
  Stream::Up ended = std::move(stream.up_filters.front());
  stream.up_filters.pop_front();
  for (const auto& [child, flow] : stream.down) leave_filters(stream, ended, child);
  const Synchronise how = stream.options.synchronise;
  const bool has_waves = how == Synchronise::wait_for_all || how == Synchronise::time_out;
  if (has_waves && part_ == Part::internal) stream.next_up = stream.waves.next_wave();
  add_up(stream, {.ends = true, .generation = generation});
}

// There is a new parent, which may have begun or dropped the change that the previous one had begun.
void StreamNode::catch_up(Stream& stream, const Frame& open) {
  const std::uint32_t there = open.packet.generation;
  if (stream.change && stream.change->generation != there) drop_change(stream);
  if (there <= stream.generation()) return;
  try {
    if (!stream.change) {
      StreamOptions options = decode_options(open.packet);
      options.members = stream.options.members;
      prepare(stream, std::move(options), there);
    }
  } catch (const PacketError&) {
    ++malformed_;
    return;
  }
  if (!stream.change->failure.empty()) {
    const std::string failure = stream.change->failure;
    drop_change(stream);
    return refuse(open, failure);
  }
  Frame begin{.kind = FrameKind::begin, .stream = stream.id, .number = open.number};
  begin.packet = FirstPacket::make(0, open.number);
  begin.packet.generation = there;
  on_begin(stream, begin);
}

}  // namespace eventspace::streams
