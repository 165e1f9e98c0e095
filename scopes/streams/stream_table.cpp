#include "scopes/streams/stream_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <eventspace/error.h>

namespace eventspace::streams {
namespace {

void require_few_filters(const std::vector<FilterUse>& up, const std::vector<FilterUse>& down) {
  if (std::max(up.size(), down.size()) <= StreamOptions::max_filters) return;
  throw ConfigurationError(
      fmt::format("a stream has at most {} filters in each direction", StreamOptions::max_filters));
}

void require_window(const StreamOptions& options) {
  if (options.window == 0 || options.window > StreamOptions::max_window) {
    throw ConfigurationError(fmt::format("a stream with a window of {} packets; from 1 to {} are allowed",
                                         options.window, StreamOptions::max_window));
  }
  if (options.window_bytes == 0 || options.window_bytes > StreamOptions::max_window_bytes) {
    throw ConfigurationError(fmt::format("a stream with a window of {} bytes; from 1 to {} are allowed",
                                         options.window_bytes, StreamOptions::max_window_bytes));
  }
}

/// Clears the network's fields of a packet that a user has received and sends again.
void as_of_sender(Packet& packet) {
  packet.combined = packet.lost = packet.ends = false;
  packet.made_by = 0;
  packet.generation = 0;
}

}  // namespace

// --- streams --------------------------------------------------------------------------------------------

NodeStream* StreamTable::find(std::uint32_t stream) {
  const auto found = streams_.find(stream);
  return found == streams_.end() ? nullptr : &found->second;
}

std::uint32_t StreamTable::open(const StreamOptions& options) {
  if (is_full())
    throw ConfigurationError(fmt::format("{} streams are open; close some first", streams_.size()));
  require_window(options);
  require_few_filters(options.up, options.down);
  const std::uint32_t number = next_stream_++;
  add(number, options, 0, 1);
  return number;
}

void StreamTable::add(std::uint32_t number, const StreamOptions& options, std::uint64_t next_wave,
                      std::uint32_t generation) {
  const auto made = streams_
                        .try_emplace(number, number, options, next_wave, generation,
                                     StreamPlace{links_.parent, links_.below, turns_})
                        .first;
  for (auto& [child, link] : links_.children) made->second.update_child(child, link);
}

void StreamTable::close(std::uint32_t number) {
  NodeStream* const stream = find(number);
  if (stream == nullptr) return;
  stream->close_for_children();
  streams_.erase(number);
}

void StreamTable::keep_confirmed() {
  std::vector<std::uint32_t> closed;
  for (const auto& [number, stream] : streams_) {
    if (!stream.is_confirmed()) closed.push_back(number);
  }
  for (const std::uint32_t number : closed) close(number);
  for (auto& [number, stream] : streams_) stream.passing().pump(Clock::now());
}

void StreamTable::drop_slow(std::uint32_t stream, const std::vector<Child>& slow) {
  for (const Child child : slow) on_slow_(child, fmt::format("too slow for stream {}", stream));
}

bool StreamTable::set_members(std::uint32_t number, const RankSet& members) {
  NodeStream* const stream = find(number);
  if (stream == nullptr) return false;
  stream->set_members(members, links_.children);
  return true;
}

const StreamOptions* StreamTable::options(std::uint32_t number) const {
  const auto found = streams_.find(number);
  return found == streams_.end() ? nullptr : &found->second.options();
}

StreamCounters StreamTable::counters(std::uint32_t number) const {
  const auto found = streams_.find(number);
  return found == streams_.end() ? StreamCounters{} : found->second.counters();
}

std::vector<StreamReport> StreamTable::report() const {
  std::vector<StreamReport> reports;
  reports.reserve(streams_.size());
  for (const auto& [number, stream] : streams_) reports.push_back(stream.report());
  return reports;
}

// --- new filters ----------------------------------------------------------------------------------------

bool StreamTable::begin_change(std::uint32_t number, const std::vector<FilterUse>& up,
                               const std::vector<FilterUse>& down) {
  NodeStream* const stream = find(number);
  if (stream == nullptr) return false;
  require_few_filters(up, down);
  stream->change().begin(up, down);
  return true;
}

bool StreamTable::has_answers(std::uint32_t number) const {
  const auto found = streams_.find(number);
  return found == streams_.end() || found->second.change().has_answers();
}

std::optional<std::uint64_t> StreamTable::end_change(std::uint32_t number) {
  NodeStream* const stream = find(number);
  return stream == nullptr ? std::nullopt : stream->change().end();
}

void StreamTable::drop_unanswered_change(std::uint32_t number) {
  if (NodeStream* const stream = find(number)) stream->change().drop();
}

// --- packets --------------------------------------------------------------------------------------------

bool StreamTable::send(std::uint32_t number, Packet packet, std::optional<std::uint64_t> answers) {
  // A larger packet would not fit into a message, and would block its link.
  if (packet.bytes() > max_packet_bytes) {
    throw PacketError(fmt::format("a packet of {} bytes; {} are allowed: send less at once", packet.bytes(),
                                  max_packet_bytes));
  }
  NodeStream* const stream = find(number);
  if (stream == nullptr) return false;
  WavePassing& passing = stream->passing();
  if (links_.parent.part() == Part::front_end) {
    if (!stream->flows().has_room_down()) return false;
    packet.wave = passing.take_next_down();
    as_of_sender(packet);
    drop_slow(number, stream->spread(std::move(packet)));
    passing.busy().sent(Clock::now());
    return true;
  }
  if (!stream->flows().has_room_up()) return false;
  as_of_sender(packet);
  passing.send(std::move(packet), answers);
  return true;
}

std::optional<Received> StreamTable::take(std::optional<std::uint32_t> number) {
  if (!number) {
    if (turns_.empty()) return std::nullopt;
    number = turns_.streams().front();
  }
  NodeStream* const stream = find(*number);
  if (stream == nullptr || stream->flows().for_user().empty()) return std::nullopt;
  constexpr std::uint64_t large_window = 32;
  holding_.taken(Clock::now(), stream->flows().window().packets >= large_window);
  Received received{*number, stream->flows().for_user().take()};
  if (links_.parent.part() == Part::front_end) {
    stream->passing().pump(Clock::now());
    stream->passing().grant_children();
  } else {
    stream->flows().grant_parent();
  }
  return received;
}

void StreamTable::report_handler_fault(std::uint32_t number, std::uint64_t wave, const std::string& why) {
  NodeStream* const stream = find(number);
  if (stream == nullptr) return;  // closed by the function
  const std::string who = links_.parent.part() == Part::front_end
                              ? ""
                              : fmt::format("back-end {}: ", links_.below.all().to_text(20));
  stream->passing().report_fault(
      wave, fmt::format("{}a function that was given the packet has thrown: {}", who, why));
}

}  // namespace eventspace::streams
