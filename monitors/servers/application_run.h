#pragma once

// Private to monitors/.

#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "monitors/cli/signal_waiter.h"
#include "monitors/servers/child_process.h"
#include "pathmaps/plan/plan.h"

namespace eventspace {

/// The processes of an application, started as a pathmap says: each learns from its environment which one
/// it is (Session::from_environment). What they write passes through. When one fails the others go on: an
/// application under observation is looked at, not swept away.
class ApplicationRun {
 public:
  struct Config {
    std::shared_ptr<const Plan> plan;
    std::filesystem::path pathmap;  ///< absolute
    std::string session;
    std::vector<std::string> command;  ///< of every process
    bool collect{true};                ///< false: they do not record
    bool kill_on_failure{false};       ///< when one fails the others are ended
  };

  /// Starts them. Throws EnvironmentError when one cannot be started; none is left running then. `messages`
  /// gets a line for each that fails.
  ApplicationRun(Config config, std::ostream& messages);

  /// Waits until all have ended; whether all ended well. `signals` yields SIGCHLD and those that are passed
  /// on to the processes; at the second of these they are killed.
  bool wait(SignalWaiter& signals);

 private:
  struct Member {
    std::string name;
    ChildProcess process;
    bool ended{false};
  };

  [[nodiscard]] ChildSpec spec_for(const ProcessPlan& process) const;
  void start_all();
  void pass_on(int signal);
  void signal_all(int signal);
  void collect_ended();
  void report(const Member& member, ExitState state);
  [[nodiscard]] std::size_t running() const;

  Config config_;
  std::ostream* messages_;
  std::vector<Member> members_;
  bool fine_{true};
  bool asked_to_stop_{false};
};

}  // namespace eventspace
