#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "monitors/cli/build_info.h"
#include "monitors/cli/command_guide.h"

namespace eventspace {

/// One subcommand of the program `eventspace`. To add one: write a function that makes it in a separate file,
/// and name the function after COMMANDS in the CMakeLists.txt of its folder.
///
///     Command hello_command(const CommandContext& /*context*/) {
///       return {"hello", "Greets", [](CLI::App& app) {
///                 const auto name = std::make_shared<std::string>();
///                 app.add_option("NAME", *name)->required();
///                 return [name] { std::cout << "hello " << *name << '\n'; return exit_fine; };
///               }};
///     }
struct Command {
  /// Runs the command after its options are parsed, and returns the exit status. Throws ConfigurationError
  /// for exit_usage and EnvironmentError for exit_unreachable.
  using Run = std::function<int()>;

  std::string name;
  std::string help;                   ///< one line
  std::function<Run(CLI::App&)> add;  ///< adds the options and arguments
  CommandGuide guide{};
  /// For a command that starts another command: receives the words after "--", which are not parsed then.
  std::shared_ptr<std::vector<std::string>> behind_dashes{};
  bool is_hidden{false};  ///< not listed, for commands that only the build needs
};

/// The program of which a command is a part.
struct CommandContext {
  BuildInfo build;
  std::function<std::vector<Command>()> commands;  ///< makes all of its commands
};

/// The function that makes a command.
using MakeCommand = Command (*)(const CommandContext& context);

/// Makes Command::add for a command with `Options`: `add` adds the options of the command line, and `run`
/// gets their values.
template <class Options, class Given = const Options&>
std::function<Command::Run(CLI::App&)> with_options(void (*add)(CLI::App&, Options&),
                                                    std::type_identity_t<int (*)(Given)> run) {
  return [=](CLI::App& app) {
    const auto options = std::make_shared<Options>();
    add(app, *options);
    return [options, run] { return run(*options); };
  };
}

/// The exit statuses of every command (docs/commands.md).
inline constexpr int exit_fine = 0;
inline constexpr int exit_found_wrong = 1;  ///< the command found a fault of the kind that it checks for
inline constexpr int exit_usage = 2;        ///< usage or configuration error
inline constexpr int exit_unreachable = 3;  ///< something needed is missing or does not answer

}  // namespace eventspace
