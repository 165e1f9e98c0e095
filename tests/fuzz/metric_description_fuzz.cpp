// Reads any text as metrics, and any bytes as the description of metrics that a client sends to a server, and
// evaluates accepted parts over some events: whatever was sent, evaluation ends and does not affect anything
// else.

#include <variant>

#include <eventspace/error.h>
#include "scopes/metrics/distribution/division.h"
#include "scopes/metrics/distribution/parts_description.h"
#include "scopes/metrics/distribution/server_evaluation.h"
#include "scopes/metrics/metric_library.h"
#include "tests/fuzz/fuzz.h"
#include "tests/scopes/metrics/evaluation/observed_run.h"

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

void evaluate(PartsDescription description) {
  try {
    description.start_ns = 1'000'000;
    for (ServerPart& part : parts_of(description)) evaluate(std::move(part));
  } catch (const ConfigurationError&) {
  }
}

/// With the fingerprint that a client would send.
PartsDescription description_of_text(const std::string& text) {
  MetricLibrary library;
  if (!library.add(text).empty()) return {};
  const auto last = static_cast<std::uint32_t>(library.metrics().size() - 1);
  auto made = divide(define(library.metrics(), last), {{0, "p*"}});
  auto* const division = std::get_if<Division>(&made);
  if (division == nullptr) return {};
  const std::vector<ServerPart> parts{std::move(division->server)};
  return description_of(parts, SharedParts(parts));
}

}  // namespace

/// The first byte says whether a description or a text follows.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Bytes rest = fuzz::bytes_of(data + 1, size - 1);
  try {
    evaluate(data[0] == 'd' ? decode_description(rest) : description_of_text(fuzz::text_of(rest)));
  } catch (const ConfigurationError&) {
  }
  return 0;
}

std::vector<std::string> eventspace::fuzz::seeds() {
  std::vector<std::string> seeds;
  const auto library = MetricLibrary::shipped().metrics();
  for (std::uint32_t i = 0; i < library.size(); ++i) {
    const std::string text = define(library, i).source;
    seeds.push_back("t" + text);
    seeds.push_back("d" + fuzz::text_of(encode(description_of_text(text))));
  }
  return seeds;
}
