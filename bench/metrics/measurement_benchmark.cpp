// The cost of evaluating two metrics over the events of four processes, compared with a loop written by hand
// that computes the same from the same records. Names are FIGURE/ours and FIGURE/PEER; see scripts/bench.
#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "bench/metrics/made_run.h"
#include "scopes/metrics/compiler/locations.h"
#include "scopes/metrics/compiler/partial_evaluation.h"
#include "scopes/metrics/distribution/metric_wrapper.h"
#include "scopes/metrics/distribution/parts_description.h"
#include "scopes/metrics/distribution/shared_parts.h"
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

/// The two metrics: bytes that all processes send, and the mean iteration time of each.
std::vector<metrics::Definition> definitions() {
  MetricLibrary library = MetricLibrary::shipped();
  if (!library.add("Sent(Process[] procs, TimeInterval t) { RETURN Send_volume(procs, t); }").empty())
    std::abort();
  std::vector<metrics::Definition> made;
  for (const char* const metric : {"Sent", "Mean_iteration_time"})
    made.push_back(metrics::define(library.metrics(), library.find(metric).value()));
  return made;
}

/// A measurement of both that has just begun.
class Standing {
 public:
  explicit Standing(const Names& names) {
    std::vector<Measurement*> all;
    for (metrics::Definition& definition : definitions()) {
      measurements_.push_back(
          std::make_unique<Measurement>(std::move(definition), metrics::MeasurementChoice{}, names));
      measurements_.back()->start(1);
      all.push_back(measurements_.back().get());
    }
    together_.emplace(std::move(all), names);
  }

  /// The results of the metrics, in SI units.
  Results take(const View& view) {
    std::array<double, 2> sums{};
    together_->take(view);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      for (const auto& value : measurements_[i]->read(1'000'000'000'000)) sums[i] += value.datum.number;
    }
    return {sums[0], sums[1]};
  }

 private:
  std::vector<std::unique_ptr<Measurement>> measurements_;
  std::optional<Measurement::Together> together_;
};

/// The server of the node has just begun to evaluate both.
class ServerOfBoth {
 public:
  explicit ServerOfBoth(const Names& names) {
    std::vector<metrics::ServerPart> of_metrics;
    for (const metrics::Definition& definition : definitions()) {
      of_metrics.push_back(std::get<metrics::Division>(metrics::divide(definition, {})).server);
      of_metrics.back().start_ns = 1;
    }
    const auto described = metrics::description_of(of_metrics, metrics::SharedParts(of_metrics));
    wrapper_ = metric_wrapper().make(
        {{"metrics", metrics::text_of(described)}, {"standing", false}, {"resumed", false}}, names);
  }
  /// Evaluates, and encodes the results to send.
  void take(View& view) { wrapper_->apply(view); }

 private:
  std::unique_ptr<ViewOperator> wrapper_;
};

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

bool are_as(const Results& a, const Results& b) {
  return a.bytes == b.bytes && std::abs(a.seconds - b.seconds) < 1e-9;
}

// Defining and dividing a metric is not part of the cost of each event.
void Measure(benchmark::State& state) {
  const View view = made_view();
  const Names names(processes, 1);
  const Results expected = by_hand(view);
  std::optional<Standing> standing;
  for (auto _ : state) {
    state.PauseTiming();
    standing.emplace(names);
    state.ResumeTiming();
    if (!are_as(standing->take(view), expected)) std::abort();
  }
}
void AtServer(benchmark::State& state) {
  const View view = made_view();
  const Names names(processes, 1);
  std::optional<ServerOfBoth> server;
  for (auto _ : state) {
    state.PauseTiming();
    server.emplace(names);
    View copy = view;
    state.ResumeTiming();
    server->take(copy);
    if (copy.parcels.size() != 1) std::abort();
  }
}
void ByHand(benchmark::State& state) {
  const View view = made_view();
  const Results expected = by_hand(view);
  for (auto _ : state) {
    if (!are_as(by_hand(view), expected)) std::abort();
  }
}

/// A server makes its part of both from the description that a client sends.
void Compile(benchmark::State& state) {
  std::vector<metrics::ServerPart> of_metrics;
  for (const metrics::Definition& definition : definitions())
    of_metrics.push_back(std::get<metrics::Division>(metrics::divide(definition, {})).server);
  const auto sent = encode(metrics::description_of(of_metrics, metrics::SharedParts(of_metrics)));
  for (auto _ : state) {
    if (metrics::parts_of(metrics::decode_description(sent)).size() != 1) std::abort();
  }
  state.counters["bytes"] = static_cast<double>(sent.size());
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
      const auto definition = metrics::define(library.metrics(), library.find(metric).value());
      const metrics::MeasuredObjects measured{&objects, {all, {}}};
      const auto graph = metrics::defined_for(measured, metrics::graph_of(definition), definition);
      parts += metrics::locate(graph, definition, &objects).size();
    }
    if (parts < std::size_t{3} * many) std::abort();
  }
}

BENCHMARK(Define)->Name("define 3 metrics for 100 000 processes")->Unit(benchmark::kSecond)->UseRealTime();
BENCHMARK(Compile)->Name("a server compiles two metrics")->Unit(benchmark::kMicrosecond);
BENCHMARK(Measure)->Name("evaluate two metrics over 21 000 events/ours")->Unit(benchmark::kMicrosecond);
BENCHMARK(AtServer)
    ->Name("a server evaluates two metrics over 21 000 events/ours")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(ByHand)
    ->Name("a server evaluates two metrics over 21 000 events/a loop by hand")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(ByHand)
    ->Name("evaluate two metrics over 21 000 events/a loop by hand")
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace eventspace::bench
