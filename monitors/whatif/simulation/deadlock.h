#pragma once

// Private to monitors/whatif/.

#include <string>
#include <vector>

#include "monitors/whatif/actions/program.h"
#include "monitors/whatif/simulation/task_runs.h"

namespace eventspace::whatif {

/// Says why the tasks that wait never go on: the circle of tasks that wait for each other, or else the one
/// that waits for a task that has ended; and how many others wait. `waiting` is not empty.
std::string explain_deadlock(const Program& program, const std::vector<TaskRuns::Waiting>& waiting);

}  // namespace eventspace::whatif
