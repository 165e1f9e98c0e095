#pragma once

// Private to monitors/heartbeat/.

#include <cstddef>
#include <vector>

namespace eventspace {

struct ThreadHealth;

/// The tasks of PVM for which some that are stuck wait. Numbers are places in HealthReport::threads.
struct PvmWait {
  std::vector<std::size_t> waiting{};  ///< all of them wait for the same
  std::vector<std::size_t> awaited{};
  bool needs_any{false};  ///< one of them is enough
};

/// Finds for which others tasks of PVM wait that are stuck in a receive or a barrier; pure. `threads` were
/// judged from a view of the newest events.
///
/// A receive waits for the task that it names, if that is one of `threads`. A receive from any task could be
/// ended by each of the others: if all those that are not gone are stalled, any of them would be enough, and
/// if all are gone it waits for each. Several that receive from any task wait for any that is not gone: what
/// one of them could get from itself makes no difference, as all of them are stuck.
///
/// A barrier waits for the tasks of the session that are not in a barrier of its group: for all of them if it
/// needs so many. If it does not, those that are not gone may be enough; then, any of them would be, if all
/// are stalled, and if one is not, the barrier waits for none. If they are too few, it waits for those that
/// are gone.
std::vector<PvmWait> find_pvm_waits(const std::vector<ThreadHealth>& threads);

}  // namespace eventspace
