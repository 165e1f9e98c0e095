#pragma once

// Private to monitors/.

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "monitors/metrics/alerts.h"
#include "monitors/servers/child_process.h"

namespace eventspace {

/// Runs a command of the user, by /bin/sh, for each alert. The alert is in its environment:
/// EVENTSPACE_ALERT (the rule), EVENTSPACE_METRIC, EVENTSPACE_OBJECTS, EVENTSPACE_VIRTUAL_TIME,
/// EVENTSPACE_VALUE and EVENTSPACE_UNIT. At most `most` commands run at a time; alerts that come meanwhile
/// are counted and start none. Not thread-safe.
class AlertCommands {
 public:
  static constexpr std::size_t most = 4;

  struct Surroundings {
    bool is_on_screen{false};                            ///< what the commands write is dropped
    std::function<void(const std::string& line)> say{};  ///< receives faults, for people
  };
  /// An empty command: none is run.
  AlertCommands(std::string command, Surroundings surroundings)
      : command_(std::move(command)), surroundings_(std::move(surroundings)) {}

  /// Starts the command. Does not wait for its end.
  void run(const RaisedAlert& alert);
  /// Says which commands have failed. Call it now and then.
  void look();
  /// Waits at most ten seconds for the commands to end, and says how many alerts started none. Commands that
  /// go on are left running.
  void conclude();

 private:
  std::string command_;
  Surroundings surroundings_;
  std::vector<ChildProcess> running_;
  std::uint64_t skipped_{0};
};

}  // namespace eventspace
