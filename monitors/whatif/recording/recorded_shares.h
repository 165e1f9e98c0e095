#pragma once

#include <vector>

#include "monitors/whatif/recording/recorded_program.h"

namespace eventspace::whatif {

/// Durations of the calls of each task and function in the recorded run, and the part that is the library's
/// own work; the rest is waiting. Call after separate_overheads().
std::vector<std::vector<RecordedShare>> recorded_shares(const RecordedProgram& recorded);

}  // namespace eventspace::whatif
