#pragma once

#include <span>
#include <string>
#include <vector>

#include "monitors/cli/command_page.h"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace eventspace {

/// A fault of a command line, in our words: the given text, the nearest name, and the expected form.
struct UsageError {
  std::string message;  ///< one line, without "eventspace: "
  std::string usage;    ///< the short usage, a line or some, each with its newline
  std::string hint;     ///< one line: the nearest name, if any, and the help to read
};

/// `app` has the commands as subcommands and has just failed to parse `words`, the command line with the name
/// of the program in front.
UsageError explain(const CLI::App& app, const CLI::ParseError& error, std::span<const char* const> words,
                   const std::vector<CommandPage>& pages);

/// "there is no command 'heartbet'"; the hint has "Did you mean heartbeat?".
UsageError unknown_command(const std::string& name, const std::vector<CommandPage>& pages);

/// Writes it to standard error. The hint comes last, where users look on a terminal; the whole help is
/// written only on request.
void print(const UsageError& error);

}  // namespace eventspace
