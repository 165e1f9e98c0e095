#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace eventspace {

/// The group in which `eventspace help` lists a command.
enum class CommandGroup : std::uint8_t {
  pathmaps,
  running,
  watching,
  recordings,
  steering,
  machine,
  help,
  other
};

struct GroupTitle {
  CommandGroup group;
  const char* title;
};

/// All groups, in the order in which they are listed.
inline constexpr std::array group_titles{GroupTitle{CommandGroup::pathmaps, "Pathmaps"},
                                         GroupTitle{CommandGroup::running, "Start and stop"},
                                         GroupTitle{CommandGroup::watching, "Watch"},
                                         GroupTitle{CommandGroup::recordings, "Record"},
                                         GroupTitle{CommandGroup::steering, "Steer and share"},
                                         GroupTitle{CommandGroup::machine, "This machine"},
                                         GroupTitle{CommandGroup::help, "Help"},
                                         GroupTitle{CommandGroup::other, "Other commands"}};

/// A working command line, with `app.yaml` for the user's pathmap. Tests parse each one.
struct CommandExample {
  std::string line;     ///< "eventspace heartbeat app.yaml --once"
  std::string purpose;  ///< its purpose, without a full stop
};

/// The place of commands that are listed at the end of their group.
inline constexpr int last_place = 100;

/// The documentation of a command beside its options, which its parser has. `--help`, the manual pages and
/// docs/commands.md are all written from these (monitors/cli/command_page.h). Every command has a group other
/// than `other` and at least one example.
struct CommandGuide {
  CommandGroup group{CommandGroup::other};
  /// The place in the group's list: 1 for the first command. Commands of one place are listed by name.
  int place{last_place};
  std::vector<CommandExample> examples{};
  /// Meanings of exit statuses that differ from the common ones (exit_status_meanings()).
  std::map<int, std::string> statuses{};
  /// The forms of the command line, if there are several. Empty means one form, made from the options.
  std::vector<std::string> usages{};
};

}  // namespace eventspace
