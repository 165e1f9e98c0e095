#pragma once

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

/// The last event of each process in one look for which a conditional request holds.
class LastEvents {
 public:
  void note(const ObservedEvent& event, const PlanNames& names);
  /// By process.
  [[nodiscard]] const std::map<std::string, std::string>& all() const noexcept { return all_; }

 private:
  std::map<std::string, std::string> all_;
};

/// The actions of a conditional request that are done here, and not by servers: commands are run, and
/// processes on other nodes than the event's are switched. Not thread-safe.
class FrontEndActions {
 public:
  /// `most`: limit for the processes for which commands are run; 0: no limit. `actions` must outlive it.
  FrontEndActions(const std::vector<RequestAction>& actions, std::string request, std::uint64_t most);

  /// Runs the commands once for each process that has events in a look.
  void run_commands(const LastEvents& last, std::uint64_t matches);
  /// A server switches the processes of its own node; processes of other nodes are switched here.
  void switch_elsewhere(const Plan& plan, const std::string& session) const;
  /// Waits for the running commands.
  void conclude();

 private:
  const std::vector<RequestAction>* actions_;
  std::string request_;
  std::uint64_t most_;
  std::vector<ShellCommands> commands_;  // by action
  std::uint64_t processes_run_{0};       // number of processes for which commands were run
};

}  // namespace eventspace
