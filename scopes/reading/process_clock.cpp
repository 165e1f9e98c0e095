#include "scopes/reading/process_clock.h"

#include "collectors/clock.h"

namespace eventspace {

std::uint64_t ticks_now(const ClockCalibration& clock, const NodeClock& node) {
  return clock.source == ClockSource::monotonic ? node.now_ns() : Clock::now(clock);
}

ClockRate::Reading read_clocks(const ClockCalibration& clock, const NodeClock& node) {
  if (clock.source == ClockSource::monotonic) {
    const std::uint64_t now_ns = node.now_ns();
    return {now_ns, static_cast<std::int64_t>(now_ns), 0};
  }
  constexpr double good_ns = 200;
  ClockRate::Reading best;
  double best_ns = 0;
  for (int i = 0; i < 4 && (i == 0 || best_ns > good_ns); ++i) {
    const std::uint64_t before = Clock::now(clock);
    const auto monotonic_ns = static_cast<std::int64_t>(node.now_ns());
    const std::uint64_t after = Clock::now(clock);
    const double took_ns = clock.ns_between(before, after);
    if (i > 0 && took_ns >= best_ns) continue;
    best_ns = took_ns;
    best = {before + (after - before) / 2, monotonic_ns, static_cast<std::int64_t>(took_ns / 2) + 1};
  }
  return best;
}

}  // namespace eventspace
