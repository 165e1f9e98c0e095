// Reads any bytes as a part of a metric that a client sends to a server, and evaluates accepted parts over
// some events: whatever was sent, evaluation ends and does not affect anything else.

#include <variant>

#include "scopes/metrics/distribution/division.h"
#include "scopes/metrics/distribution/graph_codec.h"
#include "scopes/metrics/distribution/server_evaluation.h"
#include "scopes/metrics/metric_library.h"
#include "tests/fuzz/fuzz.h"
#include "tests/scopes/metrics/evaluation/observed_run.h"
#include "tuplespace/system/error.h"

namespace {

using namespace eventspace;
using namespace eventspace::metrics;

void evaluate(ServerPart part) {
  test::ObservedRun run;
  ServerEvaluation evaluation(std::move(part), 1, run.names);
  EventPass pass(run.names, {evaluation.consumer()});
  for (int i = 0; i < 3; ++i) {
    for (std::uint32_t process = 0; process < 2; ++process) {
      run.write(process, 2.0 + i, 2.2 + i, 10, process, 10);
      run.pass(process, 2.5 + i, "iteration_end", static_cast<std::uint64_t>(i), 3.0);
      run.pass(process, 2.6 + i, "loop_stop", static_cast<std::uint64_t>(3 - i), 3.0, 1);
    }
    const View view = run.view();
    evaluation.settle(i != 1);
    evaluation.take(view, pass.take(view));
    (void)evaluation.tokens(0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    evaluate(decode_server_part(fuzz::bytes_of(data, size)));
  } catch (const ConfigurationError&) {
  }
  return 0;
}

std::vector<std::string> eventspace::fuzz::seeds() {
  std::vector<std::string> seeds;
  const auto library = MetricLibrary::shipped().metrics();
  for (std::uint32_t i = 0; i < library.size(); ++i) {
    auto made = divide(define(library, i), {{0, "p*"}});
    if (auto* const division = std::get_if<Division>(&made)) {
      division->server.start_ns = 1'000'000;
      seeds.push_back(text_of(encode(division->server)));
    }
  }
  return seeds;
}
