// Reads any bytes as a server's results of a metric, and passes accepted results to a measurement.

#include <array>
#include <cstdlib>
#include <variant>

#include "scopes/metrics/distribution/division.h"
#include "scopes/metrics/distribution/server_evaluation.h"
#include "scopes/metrics/distribution/token_codec.h"
#include "tests/fuzz/fuzz.h"
#include "tests/scopes/metrics/distribution/divided_run.h"

namespace {

using namespace eventspace;
using namespace eventspace::metrics;

Definition shipped(const char* name) {
  const auto& library = MetricLibrary::shipped();
  return define(library.metrics(), library.find(name).value());
}

constexpr std::array metrics_of_targets{"Mean_iteration_time", "Max_comm_delay_per_loop_execution",
                                        "Load_imbalance_at_barrier", "Bandwidth_by_partner"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto tokens = decode_tokens(fuzz::bytes_of(data, size));
  if (!tokens) return 0;
  if (!decode_tokens(encode(*tokens))) std::abort();
  const test::NamesOfRun names;
  for (const char* const metric : metrics_of_targets) {
    auto made = divide(shipped(metric), {});
    Measurement measurement(std::get<Division>(std::move(made)).front_end, {}, names);
    measurement.start(1);
    View view;
    view.processes.resize(1);
    measurement.take(view);
    measurement.take(*tokens, view);
    (void)measurement.read(1'000'000);
    measurement.take(*tokens, view);
    (void)measurement.read(2'000'000);
  }
  return 0;
}

std::vector<std::string> eventspace::fuzz::seeds() {
  std::vector<std::string> seeds;
  for (const char* const metric : metrics_of_targets) {
    auto made = divide(shipped(metric), {});
    test::ObservedRun run;
    ServerPart part = std::get<Division>(std::move(made)).server;
    part.start_ns = 1'000'000;
    ServerEvaluation evaluation(std::move(part), 77, run.names);
    EventPass pass(run.names, {evaluation.consumer()});
    for (std::uint64_t i = 1; i < 4; ++i) {
      const auto at = static_cast<double>(i);
      run.write(0, at + 1, at + 1.5, 10, 0, 10);
      for (const char* const probe : {"iteration_end", "loop_start", "loop_stop"})
        run.pass(0, at + 1.6, probe, i, 2.0);
    }
    const View view = run.view();
    evaluation.settle(true);
    evaluation.take(view, pass.take(view));
    seeds.push_back(text_of(encode(evaluation.tokens(0))));
  }
  return seeds;
}
