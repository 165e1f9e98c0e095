#include "scopes/streams/node.h"
#include "scopes/streams/report.h"

// The report of a process on its streams.

namespace eventspace::streams {
namespace {

void add(std::vector<FilterReport>& reports, const FilterChain& chain, bool down) {
  for (std::size_t i = 0; i < chain.size(); ++i) reports.push_back({chain.name(i), down, chain.counters(i)});
}

}  // namespace

std::string_view to_string(WhenFull when_full) noexcept {
  switch (when_full) {
    case WhenFull::wait:
      return "wait";
    case WhenFull::drop_oldest:
      return "drop_oldest";
    case WhenFull::drop_newest:
      return "drop_newest";
    case WhenFull::disconnect:
      return "disconnect";
  }
  return "unknown";
}

std::string_view to_string(Synchronise synchronise) noexcept {
  switch (synchronise) {
    case Synchronise::wait_for_all:
      return "wait_for_all";
    case Synchronise::time_out:
      return "time_out";
    case Synchronise::do_not_wait:
      return "do_not_wait";
    case Synchronise::rule:
      return "rule";
  }
  return "unknown";
}

StreamCounters StreamNode::counters(std::uint32_t number) const {
  const auto found = streams_.find(number);
  if (found == streams_.end()) return {};
  StreamCounters counters = found->second.counters;
  counters.late = found->second.waves.late();
  return counters;
}

std::vector<StreamReport> StreamNode::report() const {
  std::vector<StreamReport> reports;
  reports.reserve(streams_.size());
  for (const auto& [number, stream] : streams_) {
    StreamReport& one = reports.emplace_back();
    one.stream = number;
    one.synchronise = stream.options.synchronise;
    one.when_full = stream.options.when_full;
    one.counters = counters(number);
    one.waiting_up = held_up(stream);
    one.waiting_down = held_down(stream);
    for (const auto& [child, flow] : stream.down)
      one.unfinished += {stream.waves.held(child), stream.waves.held_bytes(child)};
    // The current filters; others only wait for the last of their packets.
    add(one.filters, stream.up_filters.back().chain, false);
    add(one.filters, stream.down_filters.back().chain, true);
  }
  return reports;
}

}  // namespace eventspace::streams
