#pragma once

#include <filesystem>

#include "monitors/whatif/actions/program.h"
#include "monitors/whatif/simulation/outcome.h"

namespace eventspace::whatif {

/// The most pairs of tasks that communicate, and tasks, in a program whose simulated run can be written.
inline constexpr std::size_t max_recorded_pairs = 4000;

/// Writes the simulated run as a recording, for all monitors and exporters. Each task is a thread of a
/// separate process. A message is a tuple that the sender writes to an element of the pair, and that the
/// receiver takes. A collective operation is an exchange on an element of its group; other work of the
/// library is left out. Times are simulated times, to the nanosecond; an event takes at least one. Replaces
/// `file`.
///
/// Throws ConfigurationError if there are more than max_recorded_pairs tasks or pairs; EnvironmentError if
/// the file cannot be written. REQUIRES: the outcome has a trace with times.
void write_simulated_recording(const std::filesystem::path& file, const Program& program,
                               const Outcome& outcome);

}  // namespace eventspace::whatif
