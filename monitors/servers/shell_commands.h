#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "monitors/servers/child_process.h"

namespace eventspace {

/// Runs a command of the user by /bin/sh when an event has happened, and does not wait for it. At most `most`
/// commands run at a time; further events are counted but do not start commands. Not thread-safe.
class ShellCommands {
 public:
  static constexpr std::size_t most = 4;

  struct Surroundings {
    std::string option;                                  ///< option that has the command, such as
                                                         ///< "--alert-run"
    std::string cause;                                   ///< event that starts it, such as "alert"
    bool is_on_screen{false};                            ///< the commands' output is dropped
    std::function<void(const std::string& line)> say{};  ///< receives error messages
  };
  /// An empty command disables this.
  ShellCommands(std::string command, Surroundings surroundings)
      : command_(std::move(command)), surroundings_(std::move(surroundings)) {}

  /// Starts the command with these variables beside those of this process. Does not wait for its end.
  void run(std::map<std::string, std::string> environment);
  /// Reports failed commands. Call it now and then.
  void look();
  /// Waits at most ten seconds for the commands to end, and reports how often none was started. Commands that
  /// still run are left running.
  void conclude();

 private:
  void say(const std::string& text) const;

  std::string command_;
  Surroundings surroundings_;
  std::vector<ChildProcess> running_;
  std::uint64_t skipped_{0};
};

}  // namespace eventspace
