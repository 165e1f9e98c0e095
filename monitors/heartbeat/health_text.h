#pragma once

#include <map>
#include <string>

#include "monitors/heartbeat/heartbeat_analysis.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// The number of threads with each verdict.
std::map<Verdict, std::size_t> counts_of(const HealthReport& report);
/// "138 running, 1 computing, 1 stuck in operation"
std::string tally_of(const HealthReport& report);
/// The health of the thread that `culprit` names; null when `report` does not contain it.
const ThreadHealth* health_of(const Culprit& culprit, const HealthReport& report) noexcept;
/// "sum, border/check": the names of the paths in `health.absent_from`; empty when there are none.
std::string absences_of(const ThreadHealth& health, const PlanNames& names);
/// "139 threads wait for it", "no other thread waits for it"
std::string waiting_text(std::size_t waiting);
/// "STALL at t17: computing, silent for 2.4s; 139 threads wait for it; it has not come to sum"
std::string describe_culprit(const Culprit& culprit, const HealthReport& report, const PlanNames& names);
/// Text for a report that has_ended(): "all 4 ranks have returned from MPI_Finalize and ended", "all 9
/// threads have ended", "2 processes have ended". Empty for other reports.
std::string describe_end(const HealthReport& report);

}  // namespace eventspace
