// The step rate of the wind tunnel when its threads exchange borders on EventSpace's paths, with and without
// collectors, compared with a plain std::barrier and shared rows. All runs of one size must have the same
// result.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "bench/windtunnel/barrier_tunnel.h"
#include "bench/windtunnel/path_tunnel.h"
#include "pathmaps/pathmap.h"
#include "tests/windtunnel/test_pathmap.h"

namespace eventspace::windtunnel {
namespace {

// The work of one run: some tenths of a second on two cores, whatever the size.
constexpr std::size_t kSiteUpdates = 1'200'000'000;

struct Shape {
  std::string_view size;
  TunnelConfig config;
  std::size_t threads;

  std::uint64_t steps() const { return kSiteUpdates / config.sites(); }
};

const std::shared_ptr<const Plan>& plan_for(std::size_t threads) {
  static std::map<std::size_t, std::shared_ptr<const Plan>> plans;
  auto& plan = plans[threads];
  if (plan) return plan;
  auto loaded = parse_plan(test_pathmap(threads, 1), "the benchmark");
  if (!loaded.plan) throw std::runtime_error(loaded.faults.front().text);
  plan = std::make_shared<const Plan>(std::move(*loaded.plan));
  return plan;
}

void check(const Shape& shape, std::uint64_t checksum) {
  static std::map<std::size_t, std::uint64_t> expected;
  if (expected.try_emplace(shape.config.n, checksum).first->second != checksum)
    throw std::runtime_error("the result differs from that of an earlier run");
}

void step(benchmark::State& state, const Shape& shape, const std::function<TunnelRun()>& run) {
  try {
    while (state.KeepRunning()) {
      const auto done = run();
      check(shape, done.checksum);
      state.SetIterationTime(std::chrono::duration<double>(done.duration).count());
    }
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
  state.counters["steps"] =
      benchmark::Counter(static_cast<double>(shape.steps()), benchmark::Counter::kIsIterationInvariantRate);
}

void compare(const Shape& shape, Collecting collecting) {
  const auto add = [&](const char* side, const std::function<TunnelRun()>& run) {
    const auto name = fmt::format("{}, {} threads, {} collectors/{}", shape.size, shape.threads,
                                  collecting == Collecting::on ? "with" : "without", side);
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { step(state, shape, run); })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  };
  add("ours", [=] { return run_on_paths(plan_for(shape.threads), shape.config, shape.steps(), collecting); });
  add("std::barrier", [=] { return run_on_barrier(shape.config, shape.threads, shape.steps()); });
}

const bool registered = [] {
  for (const auto& [size, n] : {std::pair("small", kSmall), {"medium", kMedium}, {"large", kLarge}})
    for (const std::size_t threads : {140, 2})
      for (const auto collecting : {Collecting::on, Collecting::off})
        compare({size, {.n = n}, threads}, collecting);
  return true;
}();

}  // namespace
}  // namespace eventspace::windtunnel
