#pragma once

#include <map>
#include <string>
#include <vector>

#include "monitors/cli/command.h"

namespace eventspace {

/// One argument or option of a command, from its parser.
struct OptionPage {
  std::vector<std::string> names;    ///< "-o", "--output"; the name of an argument
  std::string value;                 ///< "FILE", "{text,json,csv}"; empty for a flag or an argument
  std::string text;                  ///< its effect, without the default
  std::string otherwise;             ///< the value if it is missing, such as "2s"; empty if that is obvious
  std::string range;                 ///< "1 to 1000"; empty if there is none
  std::vector<std::string> choices;  ///< the words that it accepts; empty means any
  std::vector<std::string> excludes;
  bool is_required{false};
  bool may_repeat{false};
  std::string group{};  ///< its heading in help; empty means that of the command's own options

  /// "-o, --output FILE"
  [[nodiscard]] std::string form() const;
  /// The text with range, default, excluded options, and whether it is required or may be repeated.
  [[nodiscard]] std::string sentence() const;
};

/// The content of help, manual pages, docs/commands.md and completion for a command. It is read from the
/// command's parser and guide, so that it is written only once.
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

/// Makes the page of a command. Calls `command.add` with a new parser.
CommandPage page_of(const Command& command);
/// In the order of the commands.
std::vector<CommandPage> pages_of(const std::vector<Command>& commands);

/// The options of `options` with the heading `group`.
std::vector<OptionPage> options_in(const std::vector<OptionPage>& options, const std::string& group);

/// The meanings of the exit statuses that all commands share.
const std::map<int, std::string>& exit_status_meanings();

/// Reads the arguments and options of a parser. The text in brackets at the end of an option's help is its
/// default.
std::vector<OptionPage> arguments_of(const CLI::App& app);
std::vector<OptionPage> options_of(const CLI::App& app);

}  // namespace eventspace
