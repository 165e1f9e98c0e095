#pragma once

// Private to monitors/.

#include <vector>

#include "monitors/mpi/job_look.h"
#include "monitors/mpi/job_verdict.h"

namespace eventspace {

/// Returns the call of a rank that has waited longest; null if none of its threads waits for something that
/// is known. Pure.
const JobCall* waiting_call(const JobRank& rank);

/// Returns ranks that do the same, as groups, the largest first. Pure.
std::vector<JobGroup> group_by_doing(const JobLook& look, const RankSet& ranks);

}  // namespace eventspace
