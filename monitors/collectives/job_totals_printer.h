#pragma once

// Private to monitors/.

#include <ostream>

#include "monitors/cli/options.h"
#include "monitors/collectives/mpi_collectives.h"

namespace eventspace {

/// Writes what the ranks of an MPI job cost each other, over all communicators and messages: which rank cost
/// the job how many seconds, by which calls, and which ones waited for messages. Text has at most `most` rows
/// of each kind (0: all); JSON and CSV have all, one figure a row, with the columns of print_totals.
void print_job_totals(std::ostream& out, Format format, const MpiCollectives& job, std::size_t most);

}  // namespace eventspace
