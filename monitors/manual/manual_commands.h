#pragma once

// Private to monitors/.

#include <functional>
#include <vector>

#include "monitors/cli/build_info.h"
#include "monitors/cli/command.h"

namespace eventspace {

/// Makes all commands of the program, including these.
using CommandList = std::function<std::vector<Command>()>;

/// `eventspace help [COMMAND]`
Command help_command(const CommandList& commands);
/// `eventspace completion SHELL`
Command completion_command(const CommandList& commands);
/// `eventspace manual`, which is hidden: the build writes manual pages and completion with it, and
/// scripts/docs the parts of docs/commands.md.
Command manual_command(const CommandList& commands, const BuildInfo& build);

}  // namespace eventspace
