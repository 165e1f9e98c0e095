#pragma once

#include <vector>

#include "monitors/cli/build_info.h"
#include "monitors/cli/command.h"

namespace eventspace {

/// The functions that make the commands of the program `eventspace`, in the order of their names. CMake
/// writes the table from the COMMANDS of the folders below monitors/.
std::vector<MakeCommand> command_table();

/// All commands of the program `eventspace`, in the order of `eventspace help`: by group, by place, by name.
/// `build` describes the program.
std::vector<Command> all_commands(const BuildInfo& build);

}  // namespace eventspace
