#pragma once

// Private to monitors/.

#include <map>
#include <string>
#include <vector>

#include "monitors/cli/command.h"

namespace eventspace {

/// One argument or option of a command, as its parser has it.
struct OptionPage {
  std::vector<std::string> names;    ///< "-o", "--output"; the name of an argument
  std::string value;                 ///< "FILE", "{text,json,csv}"; empty: a flag, or an argument
  std::string text;                  ///< what it does, without the default
  std::string otherwise;             ///< what holds without it, such as "2s"; empty if that is plain
  std::string range;                 ///< "1 to 1000"; empty: none
  std::vector<std::string> choices;  ///< the words that it takes; empty: any
  std::vector<std::string> excludes;
  bool is_required{false};
  bool may_repeat{false};

  /// "-o, --output FILE"
  [[nodiscard]] std::string form() const;
  /// The text with range, default, what it excludes, and that it is required or may be repeated.
  [[nodiscard]] std::string sentence() const;
};

/// All that help, manual pages, docs/commands.md and completion say about a command. It is read from the
/// command's parser and guide, so that nothing is written twice.
struct CommandPage {
  std::string name;
  std::string summary;
  CommandGuide guide;
  bool is_hidden{false};
  std::vector<std::string> usages;  ///< "eventspace heartbeat PATHMAP [OPTIONS]"
  std::vector<OptionPage> arguments;
  std::vector<OptionPage> options;
  std::map<int, std::string> statuses;

  [[nodiscard]] const OptionPage* find_option(const std::string& name) const;
};

/// Makes the page of a command. Calls `command.add` with a parser of its own.
CommandPage page_of(const Command& command);
/// In the order of the commands.
std::vector<CommandPage> pages_of(const std::vector<Command>& commands);

/// What the exit statuses mean that each command has.
const std::map<int, std::string>& exit_status_meanings();

/// Reads the arguments and options of a parser. The text in brackets at the end of an option's help is its
/// default.
std::vector<OptionPage> arguments_of(const CLI::App& app);
std::vector<OptionPage> options_of(const CLI::App& app);

}  // namespace eventspace
