#pragma once

#include <ostream>

#include "monitors/cli/options.h"
#include "monitors/collectives/mpi_collectives.h"

namespace eventspace {

/// Writes the costs of the ranks of an MPI job to each other, over all communicators and messages: seconds
/// per rank, and waits for messages. Text has at most `most` rows of each kind (0 means all), and leaves out
/// the calls that caused them, which print_summary has; JSON and CSV have all rows, one figure per row, with
/// the columns of print_totals.
void print_job_totals(std::ostream& out, Format format, const MpiCollectives& job, std::size_t most);

}  // namespace eventspace
