#pragma once

// Private to monitors/.

#include <vector>

#include "monitors/cli/command.h"

namespace eventspace {

/// All commands of the program `eventspace`, in the order of docs/commands.md.
std::vector<Command> all_commands();

}  // namespace eventspace
