// lttng_writer --records N --rate R: like steady_writer, but each record is a pair of LTTng tracepoints, with
// the same fields, one before the operation and one after it. Waits until a session has switched them on.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <thread>

#include "bench/recordings/paced.h"
#include "bench/run_program.h"
#include "collectors/event_record.h"

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#include "bench/collectors/lttng_tracepoints.h"
#pragma GCC diagnostic pop

namespace {

using namespace eventspace;

void wait_until_switched_on() {
  using namespace std::chrono_literals;
  const auto limit = std::chrono::steady_clock::now() + 30s;
  while (lttng_ust_tracepoint_enabled(eventspace_bench, operation_ends) == 0) {
    if (std::chrono::steady_clock::now() > limit)
      throw std::runtime_error("no session switched the tracepoints on within 30 s");
    std::this_thread::sleep_for(1ms);
  }
}

void record(std::uint64_t number) {
  lttng_ust_tracepoint(eventspace_bench, operation_begins, 0, 0, no_peer, 0,
                       static_cast<std::uint8_t>(Verb::write), static_cast<std::uint8_t>(From::oldest));
  lttng_ust_tracepoint(eventspace_bench, operation_ends, 9, static_cast<std::uint8_t>(Status::ok), 0, number,
                       0);
}

}  // namespace

int main(int count, char** words) {
  std::uint64_t records = 100'000;
  double rate = 500'000;
  CLI::App program("passes tracepoints at a steady rate");
  program.add_option("--records", records);
  program.add_option("--rate", rate, "a second")->check(CLI::PositiveNumber);
  CLI11_PARSE(program, count, words);
  return bench::run_program("lttng_writer", [&] {
    wait_until_switched_on();
    bench::do_paced(records, rate, record);
    return 0;
  });
}
