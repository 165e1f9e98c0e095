#include "scopes/reading/process_clock.h"

#include <ctime>

#include "collectors/clock.h"
#include "tuplespace/system/saturating.h"

namespace eventspace {

namespace {

std::uint64_t ticks_by_realtime(const ClockCalibration& clock) {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  const auto now_ns =
      static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
  const auto since_ns = static_cast<double>(static_cast<std::int64_t>(now_ns - clock.realtime_ns));
  return clock.ticks + static_cast<std::uint64_t>(saturating::round(since_ns / clock.ns_per_tick));
}

}  // namespace

// Like the identity of NodeClock, the identity of a process does not change while it runs.
ClockShift clock_shift_of(const SegmentView& segment) {
  static const ProcessOrigin here = own_origin();
  return clock_shift(segment.owner().origin, here);
}

std::uint64_t ticks_now(const ClockCalibration& clock, const NodeClock& node, const ClockShift& shift) {
  if (!shift.is_comparable) return ticks_by_realtime(clock);
  if (clock.source == ClockSource::monotonic) return node.now_ns() + static_cast<std::uint64_t>(shift.ns);
  return Clock::now(clock);
}

ClockRate::Reading read_clocks(const ClockCalibration& clock, const NodeClock& node,
                               const ClockShift& shift) {
  if (!shift.is_comparable)
    return {ticks_by_realtime(clock), static_cast<std::int64_t>(node.now_ns()), unbounded_error_ns};
  if (clock.source == ClockSource::monotonic) {
    const std::uint64_t now_ns = node.now_ns();
    return {now_ns + static_cast<std::uint64_t>(shift.ns), static_cast<std::int64_t>(now_ns), 0};
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
