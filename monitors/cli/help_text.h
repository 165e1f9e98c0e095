#pragma once

#include <string>
#include <vector>

#include "monitors/cli/command_page.h"

namespace eventspace {

// The output of `eventspace --help` and `eventspace COMMAND --help`. Lines are at most 100 columns wide.

/// The list of commands, a line for each: first the six that a new user needs, then the others under the
/// titles of their groups.
std::string list_text(const std::vector<CommandPage>& pages);
/// The page of one command.
std::string help_text(const CommandPage& page);
/// The list with usage and hints around it: the output of `eventspace --help`.
std::string program_help_text(const std::vector<CommandPage>& pages);

/// Breaks `text` at blanks into lines of at most `width` columns; longer words get a line of their own. Lines
/// after the first begin with `indent` blanks.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent);

}  // namespace eventspace
