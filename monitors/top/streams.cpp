#include "monitors/top/streams.h"

#include <utility>

namespace eventspace::top {
namespace {

using std::chrono::nanoseconds;
using streams::StreamCounters;
using streams::StreamReport;

StreamState state_of(const FoundNetwork& network) {
  const streams::NetworkReport& report = network.report;
  return {.network = network.name,
          .pid = network.pid,
          .silence = network.silence,
          .back_ends = report.back_ends,
          .attached = report.attached.size(),
          .silent = report.silent.size()};
}

double rate_of(std::uint64_t count, nanoseconds time) {
  return static_cast<double>(count) * 1e9 / static_cast<double>(time.count());
}

nanoseconds mean(std::uint64_t ns, std::uint64_t waves) { return nanoseconds(ns / waves); }

}  // namespace

std::vector<StreamState> StreamWatch::observe(const std::vector<FoundNetwork>& networks, Time now) {
  std::vector<StreamState> states;
  for (const FoundNetwork& network : networks) {
    if (!network.silence.empty() || network.report.processes.empty() ||
        network.report.processes.front().streams.empty()) {
      states.push_back(state_of(network));
      continue;
    }
    for (const StreamReport& stream : network.report.processes.front().streams)
      add_stream(network, stream, now, states.emplace_back(state_of(network)));
  }
  before_ = std::exchange(seen_, {});
  return states;
}

// The front-end counts all dropped packets; the rest is counted where it happened.
void StreamWatch::add_stream(const FoundNetwork& network, const StreamReport& at_front_end, Time now,
                             StreamState& state) {
  state.stream = at_front_end.stream;
  state.waves = at_front_end.counters.waves;
  state.partial = at_front_end.counters.partial_waves;
  state.lost = at_front_end.counters.dropped;
  std::uint64_t bytes = 0;
  std::uint64_t filtering_ns = 0;
  for (const auto& process : network.report.processes) {
    for (const StreamReport& stream : process.streams) {
      if (stream.stream != at_front_end.stream) continue;
      const StreamCounters& counters = stream.counters;
      state.lost += counters.late + counters.refused + counters.faults;
      state.waiting += stream.waiting_up.packets + stream.waiting_down.packets + stream.unfinished.packets;
      bytes += counters.received_bytes;
      filtering_ns += stream.filtering_ns();
    }
  }
  if (state.waves > 0) {
    state.synchronising = mean(at_front_end.counters.synchronising_ns, state.waves);
    state.filtering = mean(filtering_ns, state.waves);
  }
  const Key key{network.name, network.pid, at_front_end.stream};
  const auto last = before_.find(key);
  if (last != before_.end() && now > last->second.at && state.waves >= last->second.waves) {
    const nanoseconds elapsed = now - last->second.at;
    state.waves_per_second = rate_of(state.waves - last->second.waves, elapsed);
    if (bytes >= last->second.bytes) state.bytes_per_second = rate_of(bytes - last->second.bytes, elapsed);
  }
  seen_[key] = {state.waves, bytes, now};
}

}  // namespace eventspace::top
