// The cost of evaluating two metrics over the events of four processes, compared with a loop written by hand
// that computes the same from the same records. Names are FIGURE/ours and FIGURE/PEER; see scripts/bench.
#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>

#include "collectors/event_record.h"
#include "collectors/probe_record.h"
#include "paths/views/view.h"
#include "scopes/metrics/evaluation/measurement.h"
#include "scopes/metrics/metric_library.h"

namespace eventspace::bench {
namespace {

using metrics::Measurement;
using metrics::MetricLibrary;

constexpr std::uint32_t processes = 4;
constexpr std::uint32_t iterations = 250;
constexpr std::uint32_t writes = 20;  // of an iteration
constexpr std::uint32_t iteration_end = 1;
constexpr std::uint64_t iteration_ticks = 1'000'000;

class Names final : public PlanNames {
 public:
  [[nodiscard]] std::string_view thread_name(std::uint32_t) const override { return "t"; }
  [[nodiscard]] std::string_view path_name(std::uint32_t) const override { return "queue"; }
  [[nodiscard]] std::string_view process_name(std::uint32_t process) const override {
    return names_.at(process);
  }
  [[nodiscard]] std::string_view node_of_process(std::uint32_t) const override { return "n1"; }
  [[nodiscard]] std::string_view probe_name(std::uint32_t) const override { return "iteration_end"; }
  [[nodiscard]] std::optional<SourceRef> source_of(std::uint32_t path, std::uint16_t) const override {
    return SourceRef{path, path};
  }

 private:
  std::array<std::string_view, processes> names_{"p0", "p1", "p2", "p3"};
};

/// Each process writes 20 tuples and passes the probe, 250 times.
View made_view() {
  View view;
  for (std::uint32_t process = 0; process < processes; ++process) {
    ProcessReport report;
    report.process = process;
    report.clock.ns_per_tick = 1.0;
    view.processes.push_back(report);
    EventRecord record;
    record.thread = record.path = process;
    record.verb = Verb::write;
    record.status = Status::ok;
    record.bytes = 512;
    for (std::uint64_t i = 1; i <= iterations; ++i) {
      for (std::uint64_t j = 0; j < writes; ++j) {
        ++record.sequence;
        record.start = i * iteration_ticks + j * 1000;
        record.end = record.start + 500;
        view.records.push_back(encode(record));
      }
      const std::uint64_t end = (i + 1) * iteration_ticks - 1;
      TraceTuple probe;
      probe.words = {++record.sequence,
                     end,
                     record_words::thread_path(process, process),
                     record_words::kind(probe_kind, 0) | std::uint64_t{1} << 12 |
                         static_cast<std::uint64_t>(iteration_end) << 32,
                     end,
                     0,
                     0,
                     i};
      view.records.push_back(probe);
    }
  }
  return view;
}

struct Results {
  double bytes{0.0};
  double seconds{0.0};  // the sum of the processes' mean iteration times
};

/// What the metrics say, in SI units.
Results measured(const View& view, const Names& names) {
  Results results;
  const auto& library = MetricLibrary::shipped();
  MetricLibrary with_volume = library;
  if (!with_volume.add("Sent(Process[] procs, TimeInterval t) { RETURN Send_volume(procs, t); }").empty())
    std::abort();
  for (const char* const metric : {"Sent", "Mean_iteration_time"}) {
    Measurement measurement(metrics::define(with_volume.metrics(), *with_volume.find(metric)), {}, names);
    measurement.start(1);
    measurement.take(view);
    double sum = 0.0;
    for (const auto& value : measurement.read(1'000'000'000'000)) sum += value.datum.number;
    (metric[0] == 'S' ? results.bytes : results.seconds) = sum;
  }
  return results;
}

/// The same by hand: one pass over the records.
Results by_hand(const View& view) {
  struct Process {
    std::uint64_t last{0};
    double sum{0.0};
    std::uint64_t count{0};
  };
  Results results;
  std::map<std::uint32_t, Process> all;
  for (const TraceTuple& tuple : view.records) {
    const RecordHeader header = header_of(tuple);
    if (header.kind == probe_kind && probe_name_of(tuple) == iteration_end) {
      Process& process = all[header.thread];
      if (process.last != 0) {
        process.sum += static_cast<double>(header.end - process.last) * 1e-9;
        ++process.count;
      }
      process.last = header.end;
    } else if (header.kind != probe_kind) {
      const EventRecord record = decode(tuple);
      if (record.verb == Verb::write && header.point == 0) results.bytes += static_cast<double>(record.bytes);
    }
  }
  for (const auto& [number, process] : all)
    results.seconds += process.count == 0 ? 0.0 : process.sum / static_cast<double>(process.count);
  return results;
}

template <class Evaluate>
void run(benchmark::State& state, Evaluate evaluate) {
  const View view = made_view();
  const Names names;
  const Results expected = by_hand(view);
  for (auto _ : state) {
    const Results results = evaluate(view, names);
    if (results.bytes != expected.bytes || std::abs(results.seconds - expected.seconds) > 1e-9) std::abort();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(view.records.size()));
}

void Measure(benchmark::State& state) {
  run(state, [](const View& view, const Names& names) { return measured(view, names); });
}
void ByHand(benchmark::State& state) {
  run(state, [](const View& view, const Names&) { return by_hand(view); });
}

BENCHMARK(Measure)->Name("evaluate two metrics over 21 000 events/ours")->Unit(benchmark::kMicrosecond);
BENCHMARK(ByHand)
    ->Name("evaluate two metrics over 21 000 events/a loop by hand")
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace eventspace::bench
