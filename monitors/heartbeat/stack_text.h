#pragma once

#include <string>
#include <vector>

#include "monitors/heartbeat/culprit_stacks.h"
#include "monitors/text/json.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// "t17 is in solve (app.c:12)", then a line for each caller and the time for which the thread was stopped;
/// or the reason why the stack is not known.
std::vector<std::string> describe_stack(const CulpritStack& culprit, const PlanNames& names);
Json json_of(const CulpritStack& culprit, const PlanNames& names);

}  // namespace eventspace
