#include "monitors/streams/network_tables.h"

#include <fmt/format.h>

#include <set>

#include "monitors/cli/result_table.h"

namespace eventspace {
namespace {

using streams::NetworkReport;
using streams::StreamCounters;
using streams::StreamReport;

// Streams that were opened temporarily to gather the report are only in internal processes.
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

// All streams except those opened temporarily to gather the report.
template <class Visit>
void for_each_stream(const NetworkReport& report, Visit visit) {
  const auto known = streams_of(report);
  for (const streams::ProcessReport& process : report.processes) {
    for (const StreamReport& stream : process.streams) {
      if (known.contains(stream.stream)) visit(process, stream);
    }
  }
}

double milliseconds_of(std::uint64_t ns) { return static_cast<double>(ns) / 1e6; }

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
    // The front-end counts all dropped packets; late or refused packets are counted where that happened.
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
  ResultTable table({"process",     "host",           "pid",        "stream",        "received",
                     "sent",        "received_bytes", "sent_bytes", "waves",         "partial_waves",
                     "dropped",     "when_full",      "late",       "refused",       "faults",
                     "waiting_up",  "waiting_down",   "unfinished", "waiting_bytes", "synchronising_ms",
                     "filtering_ms"});
  for_each_stream(report, [&](const streams::ProcessReport& process, const StreamReport& stream) {
    const StreamCounters& counters = stream.counters;
    const std::uint64_t waiting =
        stream.waiting_up.bytes + stream.waiting_down.bytes + stream.unfinished.bytes;
    table.add({process.process,
               process.host,
               process.pid,
               stream.stream,
               counters.received,
               counters.sent,
               counters.received_bytes,
               counters.sent_bytes,
               counters.waves,
               counters.partial_waves,
               counters.dropped,
               to_string(stream.when_full),
               counters.late,
               counters.refused,
               counters.faults,
               stream.waiting_up.packets,
               stream.waiting_down.packets,
               stream.unfinished.packets,
               waiting,
               milliseconds_of(counters.synchronising_ns),
               milliseconds_of(stream.filtering_ns())});
  });
  table.print(out, format);
}

void print_filters(std::ostream& out, Format format, const NetworkReport& report) {
  ResultTable table({"process", "host", "pid", "stream", "direction", "filter", "applied", "packets_in",
                     "packets_out", "faults", "time_ms"});
  for_each_stream(report, [&](const streams::ProcessReport& process, const StreamReport& stream) {
    for (const streams::FilterReport& filter : stream.filters) {
      const streams::FilterCounters& counters = filter.counters;
      table.add({process.process, process.host, process.pid, stream.stream, filter.down ? "down" : "up",
                 filter.name, counters.applied, counters.taken, counters.made, counters.faults,
                 milliseconds_of(counters.ns)});
    }
  });
  table.print(out, format);
}

}  // namespace eventspace
