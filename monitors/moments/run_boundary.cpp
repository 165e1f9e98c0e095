#include "monitors/moments/run_boundary.h"

#include <algorithm>

namespace eventspace {

// The calibration of a clock shows when its process began, because a process calibrates at its start.
bool RunBoundary::learn(const ProcessReport& process) {
  const Moment calibrated = Moment::of(process.clock.ticks, process);
  const std::int64_t begun = calibrated.ns;
  Process now{process.pid, process.start_ticks, begun, run_};
  const auto [found, is_new] = processes_.try_emplace(process.process, now);
  Process& known = found->second;
  if (is_new && run_ == 0) {
    const bool is_known = calibrated.error_ns < Moment::unbounded;
    begun_ns_ = std::min(begun_ns_, is_known ? begun : std::numeric_limits<std::int64_t>::min());
  }
  if (is_new || (known.pid == process.pid && known.start_ticks == process.start_ticks)) return false;
  if (begun < known.begun_ns) return false;  // a late report of the previous run
  const bool begins_run = known.run == run_;
  begun_ns_ = begins_run ? begun : std::min(begun_ns_, begun);
  run_ += begins_run ? 1 : 0;
  now.run = run_;
  known = now;
  return begins_run;
}

}  // namespace eventspace
