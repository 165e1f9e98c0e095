#include "monitors/running/forwarded_variables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include <eventspace/error.h>

namespace eventspace {
namespace {

bool forwards(const std::vector<std::string>& command, const std::string& name) {
  for (std::size_t i = 0; i + 1 < command.size(); ++i) {
    const std::string& given = command[i + 1];
    if (command[i] == "-x" && given.substr(0, given.find('=')) == name) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> forwarding(std::vector<std::string> command, std::size_t launcher,
                                    const std::vector<std::string>& names) {
  if (std::ranges::find(command, "mca_base_env_list") != command.end()) {
    throw ConfigurationError(
        fmt::format("--shared: the command sets mca_base_env_list, which excludes the option -x that "
                    "--shared needs to add {}; use -x instead of mca_base_env_list",
                    fmt::join(names, ";")));
  }
  std::vector<std::string> added;
  for (const std::string& name : names) {
    if (forwards(command, name)) continue;
    added.emplace_back("-x");
    added.push_back(name);
  }
  command.insert(command.begin() + static_cast<std::ptrdiff_t>(launcher) + 1, added.begin(), added.end());
  return command;
}

}  // namespace eventspace
