#pragma once

#include <string>
#include <vector>

#include "monitors/whatif/actions/program.h"
#include "monitors/whatif/simulation/task_runs.h"

namespace eventspace::whatif {

/// Explains why the waiting tasks never continue: the cycle of tasks that wait for each other, or the task
/// that waits for a task that has ended; and the number of other waiting tasks. REQUIRES: `waiting` is not
/// empty.
std::string explain_deadlock(const Program& program, const std::vector<TaskRuns::Waiting>& waiting);

}  // namespace eventspace::whatif
