#pragma once

// Private to monitors/heartbeat/.

#include <cstddef>
#include <vector>

namespace eventspace {

struct ThreadHealth;

/// The tasks of PVM for which a stuck one waits. Numbers are places in HealthReport::threads.
struct PvmWait {
  std::size_t waiting{0};
  std::vector<std::size_t> awaited{};
  bool needs_any{false};  ///< one of them is enough
};

/// Finds for which others tasks of PVM wait that are stuck in a receive or a barrier; pure. `threads` were
/// judged from a view of the newest events.
///
/// A receive waits for the task that it names, if that is one of `threads`. A receive from any task could be
/// ended by each of the others: if all those that are not gone are stalled, any of them would be enough, and
/// if all are gone it waits for each. A barrier waits for the tasks of the session that are not in a barrier
/// of its group: for all of them if it needs so many, else for any.
std::vector<PvmWait> find_pvm_waits(const std::vector<ThreadHealth>& threads);

}  // namespace eventspace
