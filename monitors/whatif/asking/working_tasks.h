#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "monitors/whatif/simulation/outcome.h"

namespace eventspace::whatif {

/// The tasks over which means are taken: tasks that compute at least a tenth of the time of the task that
/// computes most. Not empty if there are tasks.
inline std::vector<std::uint32_t> working_tasks(const Outcome& outcome) {
  Picoseconds most = 0;
  for (const TaskOutcome& task : outcome.tasks) most = std::max(most, task.compute);
  std::vector<std::uint32_t> working;
  for (std::uint32_t task = 0; task < outcome.tasks.size(); ++task) {
    if (outcome.tasks[task].compute >= most / 10) working.push_back(task);
  }
  return working;
}

}  // namespace eventspace::whatif
