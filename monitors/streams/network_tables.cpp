#include "monitors/streams/network_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "monitors/cli/result_table.h"

namespace eventspace {
namespace {

using streams::NetworkReport;
using streams::StreamCounters;
using streams::StreamReport;

// Streams that were opened for a moment, to gather the report, are in internal processes only.
std::set<std::uint32_t> streams_of(const NetworkReport& report) {
  std::set<std::uint32_t> numbers;
  if (report.processes.empty()) return numbers;
  for (const StreamReport& stream : report.processes.front().streams) numbers.insert(stream.stream);
  return numbers;
}

std::uint64_t total(const NetworkReport& report, std::uint64_t StreamCounters::*counter) {
  std::uint64_t sum = 0;
  for (const auto& process : report.processes) {
    for (const StreamReport& stream : process.streams) sum += stream.counters.*counter;
  }
  return sum;
}

}  // namespace

void print_networks(std::ostream& out, Format format, const std::vector<FoundNetwork>& networks) {
  ResultTable table({"network", "pid", "back_ends", "attached", "internal_processes", "silent", "streams",
                     "waves", "dropped", "late", "faults", "state"});
  for (const FoundNetwork& network : networks) {
    const NetworkReport& report = network.report;
    if (!network.silence.empty()) {
      table.add({network.name, network.pid, Json(), Json(), Json(), Json(), Json(), Json(), Json(), Json(),
                 Json(), network.silence});
      continue;
    }
    const auto& streams = report.processes.front().streams;
    std::uint64_t waves = 0;
    for (const StreamReport& stream : streams) waves += stream.counters.waves;
    // The front-end counts what was dropped anywhere; what was late or refused counts where it happened.
    std::uint64_t dropped = 0;
    for (const StreamReport& stream : streams) dropped += stream.counters.dropped;
    table.add({network.name, network.pid, report.back_ends, report.attached.size(), report.internals.size(),
               report.silent.size(), streams.size(), waves, dropped, total(report, &StreamCounters::late),
               total(report, &StreamCounters::faults),
               report.attached.size() < report.back_ends ? "incomplete" : "complete"});
  }
  table.print(out, format);
}

void print_streams(std::ostream& out, Format format, const NetworkReport& report) {
  ResultTable table({"process", "host", "pid", "stream", "received", "sent", "waves", "partial_waves",
                     "dropped", "late", "refused", "faults", "waiting_up", "waiting_down", "unfinished"});
  const auto known = streams_of(report);
  for (const auto& process : report.processes) {
    for (const StreamReport& stream : process.streams) {
      if (!known.contains(stream.stream)) continue;
      const StreamCounters& counters = stream.counters;
      table.add({process.process, process.host, process.pid, stream.stream, counters.received, counters.sent,
                 counters.waves, counters.partial_waves, counters.dropped, counters.late, counters.refused,
                 counters.faults, stream.waiting_up, stream.waiting_down, stream.unfinished});
    }
  }
  table.print(out, format);
}

}  // namespace eventspace
