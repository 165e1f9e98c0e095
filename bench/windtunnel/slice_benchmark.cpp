// The speed at which one core steps the lattice gas, in site updates per second.
#include <benchmark/benchmark.h>

#include "apps/windtunnel/gas/tunnel.h"
#include "apps/windtunnel/pictures/picture.h"

namespace eventspace::windtunnel {
namespace {

void count_sites(benchmark::State& state, std::size_t sites) {
  state.counters["site_updates"] =
      benchmark::Counter(static_cast<double>(sites), benchmark::Counter::kIsIterationInvariantRate);
}

// One step of the whole tunnel, cut into slices. Arguments: n, slices.
void StepTunnel(benchmark::State& state) {
  const TunnelConfig config{.n = static_cast<std::size_t>(state.range(0))};
  Tunnel tunnel(config, static_cast<std::size_t>(state.range(1)));
  while (state.KeepRunning()) benchmark::DoNotOptimize(tunnel.step());
  count_sites(state, config.sites());
}
BENCHMARK(StepTunnel)
    ->Args({kSmall, 1})
    ->Args({kSmall, 140})
    ->Args({kMedium, 1})
    ->Args({kMedium, 140})
    ->Args({kLarge, 1})
    ->Unit(benchmark::kMillisecond);

// The first half of a step, for one slice out of 140.
void CollideSlice(benchmark::State& state) {
  const TunnelConfig config{.n = static_cast<std::size_t>(state.range(0))};
  Slice slice(config, slice_rows(config.rows(), 140, 70));
  std::uint64_t step = 0;
  while (state.KeepRunning()) slice.collide(step++);
  count_sites(state, slice.rows().size() * config.columns());
}
BENCHMARK(CollideSlice)->Arg(kSmall)->Arg(kMedium)->Arg(kLarge)->Unit(benchmark::kMicrosecond);

// The second half of a step.
void PropagateSlice(benchmark::State& state) {
  const TunnelConfig config{.n = static_cast<std::size_t>(state.range(0))};
  Slice slice(config, slice_rows(config.rows(), 140, 70));
  std::uint64_t step = 0;
  while (state.KeepRunning()) benchmark::DoNotOptimize(slice.propagate(step++));
  count_sites(state, slice.rows().size() * config.columns());
}
BENCHMARK(PropagateSlice)->Arg(kSmall)->Arg(kMedium)->Arg(kLarge)->Unit(benchmark::kMicrosecond);

void SampleTunnel(benchmark::State& state) {
  const TunnelConfig config{.n = static_cast<std::size_t>(state.range(0))};
  const Tunnel tunnel(config);
  while (state.KeepRunning()) benchmark::DoNotOptimize(tunnel.sample(16));
  count_sites(state, config.sites());
}
BENCHMARK(SampleTunnel)->Arg(kSmall)->Unit(benchmark::kMillisecond);

void DrawPicture(benchmark::State& state) {
  const TunnelConfig config;
  const Field field = Tunnel(config).sample(16);
  while (state.KeepRunning()) benchmark::DoNotOptimize(draw(field, Quantity::speed, config));
}
BENCHMARK(DrawPicture)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace eventspace::windtunnel
