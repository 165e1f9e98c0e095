#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

#include "monitors/whatif/actions/program.h"

namespace eventspace::whatif {

struct SmpiSettings {
  double flops_per_second{1e9};  ///< divisor of the amounts of `compute`
};

/// Reads a time-independent trace of SimGrid's SMPI (of version 3.32; `smpirun -replay`): one text with the
/// actions of all ranks, "RANK ACTION ARGUMENTS" on each line. Messages and collective operations use
/// MPI_COMM_WORLD. As in SMPI's replay, a wait names source, destination and tag, and a waitall waits for all
/// open requests. The trace does not have the result of a `test`, which becomes a marked overhead without
/// duration.
///
/// Throws ConfigurationError, with file and line, for unknown actions, wrong arguments, and communicators
/// other than the world, which are not simulated. The vectors of an all-to-all are replaced by their mean.
Program read_smpi_trace(std::istream& in, const std::string& source, const SmpiSettings& settings = {});
/// Reads a file, which may also be a list of the files of all ranks, one per line, relative to its folder.
/// Throws EnvironmentError if a file cannot be read.
Program read_smpi_trace(const std::filesystem::path& file, const SmpiSettings& settings = {});

/// Writes the trace of a program, for `smpirun -replay`: durations as flops. SMPI's trace has a single group
/// with all tasks. Messages of other groups get their own tags, so that they match as before. Collective
/// operations of smaller groups are written as the messages that this program simulates
/// (actions/group_steps.h). Returns a description of these changes; empty if nothing was changed. Throws
/// ConfigurationError, before anything is written, if the program has receives that are marked `partial`.
std::string write_smpi_trace(std::ostream& out, const Program& program, const SmpiSettings& settings = {});

}  // namespace eventspace::whatif
