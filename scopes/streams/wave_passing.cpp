#include "scopes/streams/wave_passing.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "scopes/streams/plugins/filter_library.h"

namespace eventspace::streams {
namespace {

Synchronisation make_waves(const StreamOptions& options, Part part) {
  if (options.synchronise == Synchronise::rule && part != Part::back_end)
    return Synchronisation(make_any_rule(options.rule));
  return {options.synchronise, options.time_out};
}

// How long a wave has waited since its first packet.
std::uint64_t waited(const Wave& wave, WavePassing::Clock::time_point now) {
  WavePassing::Clock::time_point began = now;
  for (const Contribution& one : wave.packets) began = std::min(began, one.came);
  return static_cast<std::uint64_t>((now - began).count());
}

}  // namespace

WavePassing::WavePassing(std::uint32_t stream, const StreamOptions& options, std::uint32_t generation,
                         StreamPlace place)
    : stream_(stream),
      options_(options),
      parent_(place.parent),
      below_(place.below),
      waves_(make_waves(options, place.parent.part())),
      filters_(generation, make_filters(options.up, options.down, place.parent.part() == Part::back_end,
                                        place.parent.place())),
      flows_(stream, options.when_full, {options.window, options.window_bytes}, place.parent, place.turns) {
  waves_.generations().keep_waves(filters_.newest_up().keeps_waves());
}

void WavePassing::begin_at(std::uint64_t wave) {
  next_up_ = next_down_ = wave;
  waves_.begin_at(wave, filters_.newest());
}

RankSet members_among(const StreamOptions& options, const RankSet& ranks) {
  return options.members.empty() ? ranks : options.members & ranks;
}

bool WavePassing::join(Child child, ChildLink& link, const RankSet& ranks, std::uint64_t from) {
  // The new end-points are reported before the queued packets leave.
  if (options_.synchronise != Synchronise::do_not_wait && flows_.up().waiting().packets > 0)
    flows_.up().name_missing(waves_.inputs().unknown(ranks));
  waves_.join(child, ranks, from, link.is_process);
  try {
    filters_.join(child, ranks);
  } catch (const std::exception& error) {
    report_fault(waves_.next_wave(), parent_.own(error.what()));
  }
  return flows_.add_child(child, link);
}

bool WavePassing::leave(Child child) {
  if (!flows_.remove_child(child)) return false;
  waves_.inputs().leave(child);
  for (FilterGenerations::Up& filters : filters_.all_up()) leave_filters(filters, child);
  return true;
}

void WavePassing::receive(Child child, Packet packet, Clock::time_point now) {
  StreamFlows::Branch* const branch = flows_.find_child(child);
  if (branch == nullptr || !branch->flow.receive(packet.bytes())) {
    ++counters_.refused;
    return;
  }
  counters_.count_received(packet.bytes());
  if (!branch->is_process) {  // it does not have filters
    packet.lost = packet.ends = false;
    packet.made_by = 0;
    packet.generation = 0;
  }
  waves_.add(child, std::move(packet), now);
}

void WavePassing::pump(Clock::time_point now) {
  bool passed = false;
  while (flows_.has_room_up() && pass_one(now)) passed = true;
  if (passed) grant_children();
}

// Returns whether a wave was passed on, or room was made in another way.
bool WavePassing::pass_one(Clock::time_point now) {
  try {
    if (const auto ended = waves_.take_end(now)) {
      end_generation(*ended);
      return true;
    }
    auto wave = waves_.next(now);
    if (!wave) return false;
    busy_.answered(waves_.next_wave(), now);
    pass_up(std::move(*wave), now);
    return true;
  } catch (const std::exception& error) {  // from a rule, which has dropped packets
    report_fault(waves_.next_wave(), parent_.own(error.what()));
    return true;
  }
}

void WavePassing::pass_up(Wave wave, Clock::time_point now) {
  ++counters_.waves;
  counters_.synchronising_ns += waited(wave, now);
  if (!wave.missing.empty()) ++counters_.partial_waves;
  const std::uint64_t number = wave.number;
  const RankSet missing = wave.missing;
  FilterGenerations::Up& filters = filters_.up_of(wave.generation);
  if (wave.packets.empty()) return lose_wave(filters, number, missing);
  std::vector<Packet> out;
  if (filters.chain.empty()) {
    for (Contribution& one : wave.packets) out.push_back(std::move(one.packet));
  } else {
    try {
      out = filters.chain.run(std::move(wave));
    } catch (const std::exception& error) {
      report_fault(number, parent_.own(error.what()));
      return lose_wave(filters, number, missing | members_among(options_, below_.all()));
    }
  }
  finish_up(filters, number, missing, std::move(out));
}

// Tells the process above not to wait for this wave, if the wave has a number there.
void WavePassing::lose_wave(FilterGenerations::Up& filters, std::uint64_t wave, const RankSet& missing) {
  if (!filters.chain.empty() && !filters.chain.keeps_waves()) return;
  finish_up(filters, wave, missing, {Packet{.lost = true}});
}

// Without filters, packets are unchanged. A packet made by filters has the wave's number only if each wave
// makes one packet. Otherwise the packets are counted, as the next process must not take several for one
// wave.
void WavePassing::finish_up(FilterGenerations::Up& filters, std::uint64_t wave, const RankSet& missing,
                            std::vector<Packet> packets) {
  for (Packet& packet : packets) {
    packet.ranks = missing;
    packet.generation = filters.generation;
    packet.wave = filters.chain.keeps_waves() ? wave : next_up_++;
    if (!packet.lost) counters_.count_sent(packet.bytes());
    flows_.add_up(std::move(packet));
  }
}

// Packets that a filter kept for a child that sends nothing more go up.
void WavePassing::leave_filters(FilterGenerations::Up& filters, Child child) {
  try {
    std::vector<Packet> rest = filters.chain.leave(child);
    if (!rest.empty()) finish_up(filters, waves_.next_wave(), {}, std::move(rest));
  } catch (const std::exception& error) {
    report_fault(waves_.next_wave(), parent_.own(error.what()));
  }
}

// No more waves of this generation come: packets that its filters still keep go up, and then the end of the
// generation. Later waves have the same numbers in all processes.
void WavePassing::end_generation(std::uint32_t generation) {
  auto ended = filters_.take_ended(generation);
  if (!ended) return;
  for (const auto& [child, branch] : flows_.branches()) leave_filters(*ended, child);
  const Synchronise how = options_.synchronise;
  const bool has_waves = how == Synchronise::wait_for_all || how == Synchronise::time_out;
  if (has_waves && parent_.part() == Part::internal) next_up_ = waves_.next_wave();
  flows_.add_up({.ends = true, .generation = generation});
}

void WavePassing::send(Packet packet, std::optional<std::uint64_t> answer) {
  packet.wave = std::max(sent_up_, answer.value_or(next_up_));
  sent_up_ = next_up_ = packet.wave + 1;
  packet.ranks = {};
  flows_.add_up(std::move(packet));
}

void WavePassing::skip_to(std::uint64_t wave) { next_up_ = std::max(next_up_, wave); }

bool WavePassing::count_from_parent(std::uint64_t number, std::size_t bytes) {
  if (!flows_.up().receive(bytes)) {
    ++counters_.refused;
    return false;
  }
  counters_.count_received(bytes);
  next_down_ = std::max(next_down_, number + 1);
  return true;
}

void WavePassing::grant_child(Child child) {
  if (StreamFlows::Branch* const branch = flows_.find_child(child)) grant(child, *branch);
}

void WavePassing::grant(Child child, StreamFlows::Branch& branch) {
  const Load ahead = options_.when_full == WhenFull::wait ? flows_.held_up() : Load{};
  if (!branch.flow.grants(ahead)) return;  // the usual case, which avoids counting held packets
  const Load here{waves_.inputs().held(child), waves_.inputs().held_bytes(child)};
  if (const auto total = branch.flow.grant(here + ahead)) branch.link->post(credit_frame(stream_, *total));
}

void WavePassing::grant_children() {
  for (auto& [child, branch] : flows_.branches()) grant(child, branch);
}

void WavePassing::report_fault(std::uint64_t wave, const std::string& reason) {
  ++counters_.faults;
  parent_.report_fault(stream_, wave, reason);
}

}  // namespace eventspace::streams
