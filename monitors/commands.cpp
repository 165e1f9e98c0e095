#include "monitors/commands.h"

#include <algorithm>
#include <tuple>

namespace eventspace {

std::vector<Command> all_commands(const BuildInfo& build) {
  const CommandContext context{build, [build] { return all_commands(build); }};
  std::vector<Command> all;
  for (const MakeCommand make : command_table()) all.push_back(make(context));
  std::ranges::sort(all, {}, [](const Command& command) {
    return std::tuple(command.guide.group, command.guide.place, command.name);
  });
  return all;
}

}  // namespace eventspace
