#pragma once

// Private to monitors/whatif/.

#include <vector>

#include "monitors/whatif/recording/recorded_program.h"

namespace eventspace::whatif {

/// How long the calls of each task and function took in the recorded run, and the part of it in which they
/// waited: what is left without the library's own work. To be called behind separate_overheads().
std::vector<std::vector<RecordedShare>> recorded_shares(const RecordedProgram& recorded);

}  // namespace eventspace::whatif
