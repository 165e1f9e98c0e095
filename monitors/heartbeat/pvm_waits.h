#pragma once

#include <cstddef>
#include <vector>

namespace eventspace {

struct ThreadHealth;

/// Stuck tasks of PVM, and the tasks for which they wait. Numbers are places in HealthReport::threads.
struct PvmWait {
  std::vector<std::size_t> waiting{};  ///< all of them wait for the same tasks
  std::vector<std::size_t> awaited{};
  bool needs_any{false};  ///< one awaited task is enough
};

/// Finds the tasks for which tasks of PVM that are stuck in a receive or a barrier wait; pure. `threads` were
/// judged from a view of the newest events.
///
/// A receive waits for the task that it names, if `threads` contains it. Each other task could end a receive
/// from any task: if all tasks that are not gone are stalled, any of them would be enough; if all are gone,
/// the receive waits for each. Several tasks that receive from any task wait for any task that is not gone. A
/// message from such a task to itself makes no difference, because all of them are stuck.
///
/// A barrier waits for the tasks of the session that are not in a barrier of its group. If it needs all of
/// them, it waits for all. Otherwise it waits for those that are not gone. If it does not need all of these,
/// any of them would be enough if all are stalled; if one is not stalled, the barrier does not wait. If too
/// few are left, it waits for any task that is gone.
std::vector<PvmWait> find_pvm_waits(const std::vector<ThreadHealth>& threads);

}  // namespace eventspace
