#pragma once

#include <string>
#include <vector>

#include "monitors/mpi/job_verdict.h"
#include "monitors/text/json.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// Describes a call in a few words: "MPI_Barrier #4 on MPI_COMM_WORLD (8)", "MPI_Recv from 3 tag 9 on ...".
/// `has_one_partner` is false if the call stands for calls with different partners.
std::string describe_call(const JobCall& call, const PlanNames& names, bool has_one_partner = true);

/// One line for each verdict, such as
///
///     STALL absent: rank 5 has not come to MPI_Barrier #4 on MPI_COMM_WORLD (8): computing for 2.4s after
///     MPI_Allreduce #3 on ...; 7 ranks wait: 0-4,6-7 in MPI_Barrier #4 on MPI_COMM_WORLD (8) for 2.4s
///
/// Returns up to `most` lines; the last line counts the others. The length of a line does not grow with the
/// number of ranks: lists of ranks, calls and messages end with "..." or a count.
std::vector<std::string> describe_verdicts(const JobReport& report, const PlanNames& names,
                                           std::size_t most = 12);

/// One line for each entry of JobReport::unfollowed, up to `most`: "not followed: rank 0 of job 2 waits for
/// another job: in MPI_Recv on (another communicator) for 12s".
std::vector<std::string> describe_unfollowed(const JobReport& report, const PlanNames& names,
                                             std::size_t most = 4);
/// One line for each job that was spawned or is not judged, up to `most`: "job 2: 4 ranks, spawned by rank 1
/// of job 1".
std::vector<std::string> describe_spawned(const JobReport& report, std::size_t most = 8);

/// Converts a job to an object; docs/json.md names its members.
Json json_of(const JobSummary& job);
/// Converts a verdict to an object; docs/commands.md names its members.
Json json_of(const JobVerdict& verdict, const PlanNames& names);

}  // namespace eventspace
