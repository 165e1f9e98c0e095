#pragma once

// Private to monitors/.

#include <string>

#include "monitors/heartbeat/heartbeat_analysis.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// "138 running, 1 computing, 1 stuck in operation"
std::string tally_of(const HealthReport& report);
/// Null when the report has none of that thread.
const ThreadHealth* health_of(const Culprit& culprit, const HealthReport& report) noexcept;
/// "sum, border/check": the paths to collectives in which others are stuck as it has not come; empty: none.
std::string absences_of(const ThreadHealth& health, const PlanNames& names);
/// "STALL at t17: computing, silent for 2.4s; 139 threads wait for it; it has not come to sum"
std::string describe_culprit(const Culprit& culprit, const HealthReport& report, const PlanNames& names);

}  // namespace eventspace
