#pragma once

// Private to monitors/requests/.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "monitors/servers/shell_commands.h"
#include "pathmaps/plan/plan.h"
#include "scopes/requests/request_action.h"
#include "scopes/tree/observed_event.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// The events of one look for which a conditional request holds, of each process the last one.
class LastEvents {
 public:
  void note(const ObservedEvent& event, const PlanNames& names);
  /// By process.
  [[nodiscard]] const std::map<std::string, std::string>& all() const noexcept { return all_; }

 private:
  std::map<std::string, std::string> all_;
};

/// What is done here, and not by servers, about the events of a conditional request: commands are run, and
/// processes of other nodes than that of the event are switched. Not thread-safe.
class FrontEndActions {
 public:
  /// `most`: for how many processes commands are run in all; 0: no limit. `actions` must outlive it.
  FrontEndActions(const std::vector<RequestAction>& actions, std::string request, std::uint64_t most);

  /// Runs the commands once for each process that has events in a look.
  void run_commands(const LastEvents& last, std::uint64_t matches);
  /// A server switches the processes of its own node; those of others are switched here.
  void switch_elsewhere(const Plan& plan, const std::string& session) const;
  /// Waits for the commands that run.
  void conclude();

 private:
  const std::vector<RequestAction>* actions_;
  std::string request_;
  std::uint64_t most_;
  std::vector<ShellCommands> commands_;  // by action
  std::uint64_t processes_run_{0};       // for how many commands were run
};

}  // namespace eventspace
