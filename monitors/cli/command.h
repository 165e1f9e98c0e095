#pragma once

// Private to monitors/.

#include <CLI/App.hpp>
#include <functional>
#include <string>

namespace eventspace {

/// One subcommand of the program `eventspace`. To add one: write a function that makes it in a file of its
/// own, declare it in commands.h, list it in main.cpp.
///
///     Command hello_command() {
///       return {"hello", "Greets", [](CLI::App& app) {
///                 const auto name = std::make_shared<std::string>();
///                 app.add_option("NAME", *name)->required();
///                 return [name] { std::cout << "hello " << *name << '\n'; return exit_fine; };
///               }};
///     }
struct Command {
  /// What runs once the options are parsed; yields the exit status. Throws ConfigurationError for
  /// exit_usage and EnvironmentError for exit_unreachable.
  using Run = std::function<int()>;

  std::string name;
  std::string help;                   ///< one line
  std::function<Run(CLI::App&)> add;  ///< adds the options and arguments
};

/// The exit statuses of every command (docs/commands.md).
inline constexpr int exit_fine = 0;
inline constexpr int exit_found_wrong = 1;  ///< the thing looked for was found wrong
inline constexpr int exit_usage = 2;        ///< usage or configuration error
inline constexpr int exit_unreachable = 3;  ///< could not reach or get what it needed

}  // namespace eventspace
