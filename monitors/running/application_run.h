#pragma once

#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "monitors/cli/signal_waiter.h"
#include "monitors/servers/child_process.h"
#include "pathmaps/plan/plan.h"
#include "paths/security/key_file.h"

namespace eventspace {

/// Starts the processes of an application as a pathmap describes them. Each process takes its name from its
/// environment (Session::from_environment). Their output is not redirected. When one fails, the others
/// continue by default, so that the application can still be observed. Not thread-safe.
class ApplicationRun {
 public:
  struct Config {
    std::shared_ptr<const Plan> plan;
    std::filesystem::path pathmap;  ///< absolute
    std::string session;
    std::vector<std::string> command;        ///< of every process
    bool collect{true};                      ///< false if the processes do not record
    bool kill_on_failure{false};             ///< ends the others when one fails
    std::shared_ptr<const UsedKeys> keys{};  ///< of the session, for processes on other machines; may be null
  };

  /// Starts the processes. Throws EnvironmentError when one cannot be started; then none is left running.
  /// Writes a line to `messages` for each process that fails.
  ApplicationRun(Config config, std::ostream& messages);

  /// Waits until all processes have ended. Returns true if all succeeded. `signals` must yield SIGCHLD; all
  /// its other signals are passed on to the processes, which are killed at the second one.
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
