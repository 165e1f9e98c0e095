#pragma once

#include <string>

#include "monitors/heartbeat_analysis.h"
#include "scopes/scope_wrappers.h"

namespace eventspace {

/// "138 running, 1 computing, 1 stuck in operation"
std::string tally_of(const HealthReport& report);
/// "STALL at t17: computing, silent for 2.4s; 139 threads wait for it"
std::string describe_culprit(const Culprit& culprit, const HealthReport& report, const PlanNames& names);

}  // namespace eventspace
