#pragma once

// Private to monitors/.

#include <string>
#include <vector>

#include "monitors/cli/command_page.h"

namespace eventspace {

// The parts of docs/commands.md that are written from the parsers and guides of the commands. Each lies
// between two lines:
//
//     <!-- options of heartbeat: written by scripts/docs -->
//     ...
//     <!-- end -->
//
// and the list of all commands between `<!-- commands: written by scripts/docs -->` and `<!-- end -->`.

/// Usage, arguments, options, exit statuses and examples of one command.
std::string options_markdown(const CommandPage& page);

/// Returns `text` with all such parts rewritten. Throws ConfigurationError if a command that is not hidden
/// lacks a part, a part names an unknown command, or a part lacks an end.
std::string with_options(const std::string& text, const std::vector<CommandPage>& pages);

}  // namespace eventspace
