#pragma once

#include <chrono>
#include <cstdint>
#include <ostream>

#include "monitors/cli/options.h"
#include "monitors/heartbeat/heartbeat_analysis.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// Which threads the text lists at each pull.
enum class HeartbeatListing : std::uint8_t { none, stalled, all };

/// Writes the verdicts of a heartbeat, pull after pull; docs/commands.md names the fields. `out`, `plan` and
/// `names` must outlive it. With `colour`, the text has control sequences for colours; JSON and CSV never do.
class HeartbeatPrinter {
 public:
  HeartbeatPrinter(std::ostream& out, Format format, HeartbeatListing listing, const Plan& plan,
                   const PlanNames& names, bool colour = false);
  void print(const HealthReport& report, const View& view, std::chrono::nanoseconds since_start);

 private:
  void print_text(const HealthReport& report, const View& view, std::chrono::nanoseconds since_start);
  void print_causes(const HealthReport& report);
  void print_tally(const HealthReport& report);
  void print_missing(const View& view);
  void print_unreachable(const HealthReport& report);
  void print_thread(const ThreadHealth& health);
  void print_json(const HealthReport& report, const View& view, std::chrono::nanoseconds since_start);
  void print_csv(const HealthReport& report, std::chrono::nanoseconds since_start);

  std::ostream* out_;
  Format format_;
  HeartbeatListing listing_;
  bool colour_;
  const Plan* plan_;
  const PlanNames* names_;
};

}  // namespace eventspace
