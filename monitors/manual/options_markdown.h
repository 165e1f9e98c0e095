#pragma once

#include <string>
#include <vector>

#include "monitors/cli/command_page.h"

namespace eventspace {

// The parts of docs/commands.md that are written from the parsers and guides of the commands. Each lies
// between two lines:
//
//     <!-- options of heartbeat -->
//     ...
//     <!-- end -->
//
// and the list of all commands between `<!-- commands -->` and `<!-- end -->`. The options with a heading of
// their own in help, such as "Common options", lie between
//
//     <!-- shared options: Common options -->
//     ...
//     <!-- end -->
//
// and the parts of the commands refer to them.

/// The options and arguments that one section describes for several commands.
struct SharedOptions {
  std::string group;   ///< their heading in help, or the name of a command
  std::string anchor;  ///< of the section
  std::vector<OptionPage> options;
  bool is_command{false};  ///< the section of a command that comes earlier on the page
};

/// Usage, arguments, options, exit statuses and the first example of one command. Leaves out options that
/// `shared` has with the same text, perhaps with another default (of a command, at least two of them), and
/// exit statuses with their common meanings.
std::string options_markdown(const CommandPage& page, const std::vector<SharedOptions>& shared);

/// Returns `text` with all such parts rewritten. Throws ConfigurationError if a command that is not hidden
/// lacks a part, a part names an unknown command, or a part lacks an end.
std::string with_options(const std::string& text, const std::vector<CommandPage>& pages);

}  // namespace eventspace
