#pragma once

#include <vector>

#include "monitors/mpi/job_look.h"
#include "monitors/mpi/job_verdict.h"

namespace eventspace {

/// Returns the call of a rank that has waited longest; null if no thread of the rank waits for something
/// known. Pure.
const JobCall* waiting_call(const JobRank& rank);

/// Groups the ranks by what they do, the largest group first. Pure.
std::vector<JobGroup> group_by_doing(const JobLook& look, const RankSet& ranks);

}  // namespace eventspace
