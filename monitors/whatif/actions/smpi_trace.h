#pragma once

// Private to monitors/.

#include <filesystem>
#include <iosfwd>
#include <string>

#include "monitors/whatif/actions/program.h"

namespace eventspace::whatif {

struct SmpiSettings {
  double flops_per_second{1e9};  ///< what the amounts of `compute` are divided by
};

/// Reads a time-independent trace of SimGrid's SMPI (of version 3.32; `smpirun -replay`): one text with the
/// actions of all ranks, "RANK ACTION ARGUMENTS" on each line. Messages and collective operations are of
/// MPI_COMM_WORLD. As SMPI's replay does, a wait names source, destination and tag, and a waitall waits for
/// all requests that are open; what a `test` finds complete is not in the trace, so that it counts as
/// overhead of no duration and is marked.
///
/// Throws ConfigurationError, with file and line, for what is no action or has wrong arguments, and for what
/// is not simulated: communicators other than the world, vectors of an all-to-all are taken in their mean.
Program read_smpi_trace(std::istream& in, const std::string& source, const SmpiSettings& settings = {});
/// The same of a file, which may also be a list of the files of all ranks, one on each line, relative to its
/// folder. Throws EnvironmentError if a file cannot be read.
Program read_smpi_trace(const std::filesystem::path& file, const SmpiSettings& settings = {});

/// Writes the trace of a program, for `smpirun -replay`: durations as flops. SMPI's trace has one group, that
/// of all tasks: messages of other groups get tags of their own, so that they meet as before, and collective
/// operations of groups without some of the tasks are written as the messages that this program simulates
/// (actions/group_steps.h). Returns what was written otherwise than it was, in words; empty if nothing.
/// Throws ConfigurationError, before anything is written, if the program has receives that are marked
/// `partial`.
std::string write_smpi_trace(std::ostream& out, const Program& program, const SmpiSettings& settings = {});

}  // namespace eventspace::whatif
