// The data that arrive at the front-end for one reading of Mean_iteration_time, and their cost there: results
// of servers, or events, from which the front-end evaluates everything. Figures 7.3 to 7.5 of
// grid-distributed-evaluation: against events per second, processes and nodes. Names are FIGURE/ours and
// FIGURE/centralised; see scripts/bench.
#include <benchmark/benchmark.h>

#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "bench/metrics/made_run.h"
#include "scopes/metrics/distribution/metric_wrapper.h"
#include "scopes/metrics/distribution/parts_description.h"
#include "scopes/metrics/distribution/shared_parts.h"
#include "scopes/metrics/metric_library.h"

namespace eventspace::bench {
namespace {

using metrics::Measurement;

struct Run {
  std::uint32_t nodes{1};
  std::uint32_t processes{4};
  std::uint64_t iterations{100};  ///< of each process, between two readings
};

/// The servers of the nodes, and their events.
class Nodes {
 public:
  Nodes(const Run& run, const metrics::Division* division) : run_(run), names_(run.processes, run.nodes) {
    if (division == nullptr) return;
    metrics::ServerPart part = division->server;
    part.start_ns = 1;
    const std::string sent = metrics::text_of(metrics::description_of({part}, metrics::SharedParts({part})));
    for (std::uint32_t i = 0; i < run.nodes; ++i)
      wrappers_.push_back(
          metric_wrapper().make({{"metrics", sent}, {"standing", false}, {"resumed", false}}, names_));
  }

  /// The views of the nodes' servers, for the next reading.
  std::vector<View> next() {
    std::vector<View> views(run_.nodes);
    for (std::uint32_t i = 0; i < run_.processes; ++i)
      add_process(views[i % run_.nodes], i, iteration_, run_.iterations, 3);
    iteration_ += run_.iterations;
    for (std::size_t i = 0; i < wrappers_.size(); ++i) {
      wrappers_[i]->settle(true);
      wrappers_[i]->apply(views[i]);
    }
    return views;
  }
  [[nodiscard]] const Names& names() const { return names_; }
  [[nodiscard]] std::int64_t now_ns() const {
    return static_cast<std::int64_t>(iteration_ * iteration_ticks);
  }

 private:
  Run run_;
  Names names_;
  std::vector<std::unique_ptr<ViewOperator>> wrappers_;
  std::uint64_t iteration_{1};
};

std::size_t bytes_of(const View& view) {
  std::size_t bytes = view.records.size() * sizeof(TraceTuple);
  for (const ViewParcel& parcel : view.parcels) bytes += parcel.body.size();
  return bytes;
}

void arrive(benchmark::State& state, const Run& run, bool is_centralised) {
  const auto& library = metrics::MetricLibrary::shipped();
  const auto definition = metrics::define(library.metrics(), library.find("Mean_iteration_time").value());
  const auto divided = std::get<metrics::Division>(metrics::divide(definition, {}));
  const metrics::SharedParts shared({divided.server});
  Nodes nodes(run, is_centralised ? nullptr : &divided);
  Measurement measurement(is_centralised ? definition : divided.front_end, {}, nodes.names());
  measurement.start(1);
  std::size_t bytes = 0;
  std::size_t messages = 0;
  for (auto _ : state) {
    state.PauseTiming();
    std::vector<View> views = nodes.next();
    state.ResumeTiming();
    for (View& view : views) {
      bytes += bytes_of(view);
      ++messages;
      measurement.take(view);
      if (shared.deliver(view, {&measurement}) > 0) std::abort();
    }
    if (measurement.read(nodes.now_ns()).size() != run.processes) std::abort();
  }
  const auto readings = static_cast<double>(state.iterations());
  state.counters["messages"] = static_cast<double>(messages) / readings;
  state.counters["bytes"] = static_cast<double>(bytes) / readings;
}

void add(const std::string& figure, const Run& run) {
  for (const bool is_centralised : {false, true}) {
    const std::string name = fmt::format("{}/{}", figure, is_centralised ? "centralised" : "ours");
    benchmark::RegisterBenchmark(
        name.c_str(), [run, is_centralised](benchmark::State& state) { arrive(state, run, is_centralised); })
        ->Unit(benchmark::kMicrosecond)
        ->Iterations(20);
  }
}

[[maybe_unused]] const bool are_added = [] {
  for (const std::uint64_t iterations : {25, 250, 2500})
    add(fmt::format("a reading of 4 processes on a node, {} events", 16 * iterations), {1, 4, iterations});
  for (const std::uint32_t processes : {4, 16, 64})
    add(fmt::format("a reading of {} processes on a node, 400 events of each", processes),
        {1, processes, 100});
  for (const std::uint32_t nodes : {1, 4, 16})
    add(fmt::format("a reading of 4 processes on each of {} nodes, 400 events of each", nodes),
        {nodes, 4 * nodes, 100});
  return true;
}();

}  // namespace
}  // namespace eventspace::bench
