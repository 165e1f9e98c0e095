#pragma once

// Private to monitors/.

#include <vector>

#include "monitors/cli/build_info.h"
#include "monitors/cli/command.h"

namespace eventspace {

/// All commands of the program `eventspace`, in the order in which `eventspace help` lists them within a
/// group. `build` describes the program.
std::vector<Command> all_commands(const BuildInfo& build);

}  // namespace eventspace
