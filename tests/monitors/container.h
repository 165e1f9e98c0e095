#pragma once

#include <cstdlib>
#include <string>
#include <vector>

namespace eventspace::testing_commands {

/// Words that start a command in PID, mount and time namespaces of its own, as in a container that shares
/// directories with this process; its clocks are a day ahead. When it is killed, the command is killed.
inline std::vector<std::string> in_a_container() {
  return {"unshare",      "--user", "--map-current-user", "--pid", "--fork",     "--kill-child",
          "--mount-proc", "--time", "--monotonic",        "86400", "--boottime", "86400"};
}

/// Whether the system allows this user such namespaces, and has unshare(1).
inline bool has_containers() {
  std::string line;
  for (const std::string& word : in_a_container()) line += word + ' ';
  return std::system((line + "true 2> /dev/null").c_str()) == 0;
}

}  // namespace eventspace::testing_commands
