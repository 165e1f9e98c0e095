#include "scopes/streams/node_stream.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace eventspace::streams {
namespace {

void add(std::vector<FilterReport>& reports, const FilterChain& chain, bool down) {
  for (std::size_t i = 0; i < chain.size(); ++i) reports.push_back({chain.name(i), down, chain.counters(i)});
}

}  // namespace

NodeStream::NodeStream(std::uint32_t number, StreamOptions options, std::uint64_t next_wave,
                       std::uint32_t generation, StreamPlace place)
    : number_(number),
      options_(std::move(options)),
      below_(place.below),
      parent_(place.parent),
      passing_(number, options_, generation, place),
      change_(number, options_, passing_, place) {
  passing_.begin_at(next_wave);
}

// --- children -------------------------------------------------------------------------------------------

void NodeStream::update_child(Child child, ChildLink& link) {
  const RankSet ranks = members_among(options_, below_.of(child));
  if (ranks.empty()) {
    if (!flows().has_child(child)) return;
    part_with(child);
    // For the child the stream is closed; it may be opened again.
    return link.link.post({.kind = FrameKind::close, .stream = number_});
  }
  if (refusing_.contains(child)) return passing_.waves().inputs().lose(ranks);
  introduce(child, link, ranks);
}

void NodeStream::introduce(Child child, ChildLink& link, const RankSet& ranks) {
  // The first wave in which a process that joins now can take part answers the next packet that goes down.
  const Synchronisation& waves = passing_.waves();
  const std::uint64_t from =
      std::max({passing_.next_down(), waves.next_wave(), waves.generations().border()});
  if (!passing_.join(child, link, ranks, from)) return;
  // The process below waits for a shorter time, so that its packets are here before the time is up.
  StreamOptions below = options_;
  below.time_out = below.time_out / 4 * 3;
  Frame frame{.kind = FrameKind::open, .stream = number_, .number = from, .packet = encode(below)};
  frame.packet.ranks = options_.members;
  frame.packet.generation = passing_.filters().newest();
  link.link.post(frame);
  if (const auto request = change_.request()) link.link.post(*request);
}

void NodeStream::part_with(Child child) {
  if (passing_.leave(child)) change_.child_left(child);
}

void NodeStream::remove_child(Child child) {
  refusing_.erase(child);
  if (flows().has_child(child)) {
    part_with(child);
    passing_.pump(Clock::now());
  }
  flows().grant_parent();  // the child may have been the slowest
}

void NodeStream::refuse_child(Child child, const Frame& frame) {
  if (!flows().has_child(child)) return;
  refusing_.insert(child);
  passing_.report_fault(frame.number, text_of(frame.packet));
  part_with(child);
  passing_.pump(Clock::now());
  flows().grant_parent();
}

void NodeStream::set_members(const RankSet& members, ChildLinks& children) {
  const RankSet before = std::exchange(options_.members, members);
  if (parent_.part() == Part::back_end) return;
  for (auto& [child, link] : children) {
    const bool took_part = flows().has_child(child);
    update_child(child, link);
    if (took_part && flows().has_child(child))
      link.link.post({.kind = FrameKind::members, .stream = number_, .packet = {.ranks = options_.members}});
  }
  passing_.waves().inputs().forget(before - members);  // also end-points that had left the network
  passing_.pump(Clock::now());                         // a wave may have waited for a removed member
  flows().grant_parent();
}

void NodeStream::close_for_children() {
  flows().post_to_children({.kind = FrameKind::close, .stream = number_});
}

// --- the parent -----------------------------------------------------------------------------------------

void NodeStream::lose_parent() {
  flows().up().suspend();
  is_confirmed_ = false;
}

std::optional<std::string> NodeStream::open_again(const Frame& open) {
  flows().up().restart();
  is_confirmed_ = true;
  passing_.skip_to(open.number);
  parent_.link().mark();
  return change_.catch_up(open);
}

// --- packets --------------------------------------------------------------------------------------------

std::vector<Child> NodeStream::spread(Packet packet) {
  if (passing_.filters().down_of(packet.wave).empty()) return flows().add_down(std::move(packet), below_);
  const std::uint64_t number = packet.wave;
  std::vector<Packet> made;
  try {
    made = filtered(std::move(packet));
  } catch (const std::exception& error) {
    passing_.report_fault(number, parent_.own(error.what()));
    return {};
  }
  std::vector<Child> slow;
  for (Packet& one : made) {
    const std::vector<Child> more = flows().add_down(std::move(one), below_);
    slow.insert(slow.end(), more.begin(), more.end());
  }
  return slow;
}

// Passes on exceptions of filters.
std::vector<Packet> NodeStream::filtered(Packet packet) {
  FilterChain& filters = passing_.filters().down_of(packet.wave);
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

std::vector<Child> NodeStream::receive_from_parent(Frame& frame) {
  if (!passing_.count_from_parent(frame.number, frame.packet.bytes())) return {};
  return spread(std::move(frame.packet));
}

// --- reports --------------------------------------------------------------------------------------------

StreamCounters NodeStream::counters() const {
  StreamCounters counters = passing_.counters();
  const StreamFlows& flows = passing_.flows();
  counters.dropped = flows.dropped();
  counters.sent += flows.sent_down().packets;
  counters.sent_bytes += flows.sent_down().bytes;
  counters.late = passing_.waves().late();
  return counters;
}

StreamReport NodeStream::report() const {
  StreamReport report;
  report.stream = number_;
  report.synchronise = options_.synchronise;
  report.when_full = options_.when_full;
  report.counters = counters();
  report.waiting_up = passing_.flows().held_up();
  report.waiting_down = passing_.flows().held_down();
  for (const auto& [child, branch] : passing_.flows().branches())
    report.unfinished += {passing_.waves().inputs().held(child), passing_.waves().inputs().held_bytes(child)};
  // The current filters; others only wait for the last of their packets.
  add(report.filters, passing_.filters().newest_up(), false);
  add(report.filters, passing_.filters().newest_down(), true);
  return report;
}

}  // namespace eventspace::streams
