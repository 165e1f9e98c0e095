#include "scopes/streams/plugins/filter_chain.h"

#include <fmt/format.h>

#include <chrono>
#include <iterator>
#include <stdexcept>
#include <utility>

#include <eventspace/stream_network.h>
#include <eventspace/streams.h>
#include <eventspace/topology.h>
#include "scopes/streams/plugins/filter_library.h"

namespace eventspace::streams {
namespace {

bool runs_here(const FilterUse& use, const FilterPlace& place) {
  return use.processes.empty() || (place.process && use.processes.contains(rank_of_internal(*place.process)));
}

Wave wave_of(std::uint64_t number, std::vector<Packet> packets) {
  Wave wave{number, {}, {}};
  for (Packet& packet : packets) wave.packets.push_back({0, std::move(packet)});
  return wave;
}

}  // namespace

FilterChain::FilterChain(const std::vector<FilterUse>& uses, const FilterPlace& place) {
  bool all_keep = true;
  for (std::size_t at = 0; at < uses.size(); ++at) {
    if (!runs_here(uses[at], place)) continue;
    MadeFilter made = make_any_filter(uses[at], place);
    all_keep = all_keep && made.keeps_waves;
    links_.push_back({uses[at].name, std::move(made.filter), static_cast<std::uint8_t>(at + 1)});
  }
  keeps_waves_ = all_keep && !links_.empty();
}

std::vector<Packet> FilterChain::run(Wave wave) {
  for (Contribution& one : wave.packets)
    one.packet.combined = !links_.empty() && one.packet.made_by == links_.front().number;
  std::vector<Packet> made = run_from(0, std::move(wave));
  // The next process would take several packets for several waves, and would wait for a missing one.
  if (keeps_waves_ && made.size() != 1) {
    throw std::runtime_error(
        fmt::format("filter '{}' made {} packets of a wave; a filter that does not make exactly one packet "
                    "must declare it in FilterInfo::keeps_waves",
                    links_.back().name, made.size()));
  }
  return made;
}

void FilterChain::apply(Link& link, const Wave& wave, std::vector<Packet>& out) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  ++link.counters.applied;
  link.counters.taken += wave.packets.size();
  ++link.counters.faults;  // taken back if it does not throw
  link.filter->apply(wave, out);
  --link.counters.faults;
  link.counters.made += out.size();
  link.counters.ns += static_cast<std::uint64_t>((Clock::now() - begin).count());
}

std::vector<Packet> FilterChain::run_from(std::size_t first, Wave wave) {
  std::vector<Packet> out;
  for (std::size_t at = first; at < links_.size(); ++at) {
    if (at != first) wave = wave_of(wave.number, std::exchange(out, {}));
    apply(links_[at], wave, out);
  }
  for (Packet& packet : out) packet.made_by = links_.back().number;
  return out;
}

void FilterChain::join(Child child, const RankSet& ranks) {
  children_.insert_or_assign(child, ranks);
  RankSet all;
  for (const auto& [each, its] : children_) all = all | its;
  for (std::size_t at = 0; at < links_.size(); ++at)
    at == 0 ? links_[at].filter->join(child, ranks) : links_[at].filter->join(0, all);
}

std::vector<Packet> FilterChain::leave(Child child) {
  children_.erase(child);
  std::vector<Packet> rest;
  if (links_.empty()) return rest;
  links_.front().filter->leave(child, rest);
  const std::uint8_t last = links_.back().number;
  for (Packet& packet : rest) packet.made_by = last;
  if (links_.size() == 1 || rest.empty()) return rest;
  return run_from(1, wave_of(0, std::move(rest)));
}

}  // namespace eventspace::streams
