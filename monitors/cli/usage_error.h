#pragma once

// Private to monitors/.

#include <span>
#include <string>
#include <vector>

#include "monitors/cli/command_page.h"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace eventspace {

/// What is wrong with a command line, in our words: what was found, the nearest name, what is expected.
struct UsageError {
  std::string message;  ///< one line, without "eventspace: "
  std::string advice;   ///< lines to print below it: the usage of the command, or the list of commands
};

/// `app` has the commands as subcommands and has just failed to parse `words`, the command line with the name
/// of the program in front.
UsageError explain(const CLI::App& app, const CLI::ParseError& error, std::span<const char* const> words,
                   const std::vector<CommandPage>& pages);

/// "there is no command 'heartbet'; did you mean 'heartbeat'?", with the list of commands.
UsageError unknown_command(const std::string& name, const std::vector<CommandPage>& pages);

}  // namespace eventspace
