// The cost of evaluating two metrics over the events of four processes, compared with a loop written by hand
// that computes the same from the same records. Names are FIGURE/ours and FIGURE/PEER; see scripts/bench.
#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "bench/metrics/made_run.h"
#include "scopes/metrics/compiler/locations.h"
#include "scopes/metrics/compiler/partial_evaluation.h"
#include "scopes/metrics/evaluation/measurement.h"
#include "scopes/metrics/metric_library.h"

namespace eventspace::bench {
namespace {

using metrics::Measurement;
using metrics::MetricLibrary;

constexpr std::uint32_t processes = 4;
constexpr std::uint64_t iterations = 250;
constexpr std::uint64_t writes = 20;  // of an iteration

/// Each process writes 20 tuples and passes the probe, 250 times.
View made_view() {
  View view;
  for (std::uint32_t process = 0; process < processes; ++process)
    add_process(view, process, 1, iterations, writes);
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
  const Names names(processes, 1);
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

/// Three metrics for 100 000 processes: one of each, and two over all of them.
void Define(benchmark::State& state) {
  constexpr std::uint32_t many = 100'000;
  const Names names(many, 64);
  metrics::ObservedObjects objects;
  for (std::uint32_t i = 0; i < many; ++i) (void)objects.process(i, names);
  std::vector<std::uint32_t> all(many);
  for (std::uint32_t i = 0; i < many; ++i) all[i] = i;
  const auto& library = MetricLibrary::shipped();
  for (auto _ : state) {
    std::size_t parts = 0;
    for (const char* const metric :
         {"Mean_iteration_time", "Max_comm_delay_per_loop_execution", "Imbalance"}) {
      const auto definition = metrics::define(library.metrics(), *library.find(metric));
      const metrics::MeasuredObjects measured{&objects, {all, {}}};
      const auto graph = metrics::defined_for(measured, metrics::graph_of(definition), definition);
      parts += metrics::locate(graph, definition, &objects).size();
    }
    if (parts < 3 * many) std::abort();
  }
}

BENCHMARK(Define)->Name("define 3 metrics for 100 000 processes")->Unit(benchmark::kSecond)->UseRealTime();
BENCHMARK(Measure)->Name("evaluate two metrics over 21 000 events/ours")->Unit(benchmark::kMicrosecond);
BENCHMARK(ByHand)
    ->Name("evaluate two metrics over 21 000 events/a loop by hand")
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace eventspace::bench
