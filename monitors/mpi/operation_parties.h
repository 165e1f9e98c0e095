#pragma once

#include <vector>

#include "monitors/mpi/job_graph.h"
#include "monitors/mpi/job_look.h"

namespace eventspace {

/// Groups the ranks that take part in an operation by the properties on which MPI requires them to agree:
/// function, root and, for some functions, bytes. More than one party means that the calls differ. The
/// largest party comes first; among equal ones, the party with the lowest rank. Pure.
std::vector<RankSet> parties_of(const JobOperation& operation, const JobLook& look, const JobGraph& graph);

}  // namespace eventspace
