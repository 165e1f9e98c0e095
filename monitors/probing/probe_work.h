#pragma once

// Private to monitors/.

#include <CLI/App.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "monitors/cli/stop_signals.h"
#include "monitors/probing/probed_process.h"
#include "monitors/probing/process_options.h"

namespace eventspace {

/// What the commands that put probes into processes are asked for.
struct ProbeRequest {
  ProcessChoice processes;
  std::vector<std::string> patterns;  ///< of functions
  std::string modules;
  ProbeTask task;
  CompiledTask compiled;
  std::optional<std::chrono::nanoseconds> duration;
};

/// Adds the options that say what is measured: `--module`, `--time`, `--when`, `--value`, `--every`.
void add_measuring(CLI::App& app, ProbeRequest& request);

/// Checks all of it before anything is done, and compiles the task. `how` says how functions are named: "say
/// which functions: PATTERN". Throws ConfigurationError, and EnvironmentError in a build without probes.
void check_request(ProbeRequest& request, const std::string& how);

/// Reasons why things could not be done, each with the processes that it is true for. Reports say how many
/// they are instead of one line for each.
class GroupedRefusals {
 public:
  /// The process's own number in the reason ("process 4711 has ended") is not what tells reasons apart.
  void add(std::int32_t pid, const std::string& reason);
  [[nodiscard]] bool is_empty() const noexcept { return pids_.empty(); }
  /// On standard error, a line for each reason.
  void report() const;

 private:
  std::map<std::string, std::vector<std::int32_t>> pids_;
};

/// Processes with probes, all of the same request.
class ProbedProcesses {
 public:
  /// Called with what is planned for a process, before its probes are put in: may add to it.
  using Prepare = std::function<std::optional<RecordedProbes>(std::int32_t pid, ProbePlan& plan)>;

  /// Puts probes into the processes of the request, one after the other, and says on standard error what each
  /// got and what could not be done. A process that is refused is left as it was.
  explicit ProbedProcesses(const ProbeRequest& request, const Prepare& prepare = nullptr);

  /// Whether all processes have at least one probe.
  [[nodiscard]] bool has_all() const noexcept { return has_all_; }
  [[nodiscard]] const std::vector<ProbedProcess>& processes() const noexcept { return processes_; }

  /// Looks again and again, so that what a process has counted until it ends is not lost: until a signal to
  /// stop comes, the duration is over, or no process is there any more. `looked` is called after each look.
  void watch(StopSignals& signals, const std::function<void()>& looked = nullptr);
  [[nodiscard]] std::chrono::nanoseconds watched() const noexcept { return watched_; }
  /// Removes all probes, and says so on standard error.
  void remove();

 private:
  void place(std::int32_t pid, const Prepare& prepare, GroupedRefusals& refused);
  ProbePlan plan_for(std::int32_t pid, GroupedRefusals& refused) const;

  const ProbeRequest& request_;
  std::vector<ProbedProcess> processes_;
  bool has_all_{true};
  std::chrono::nanoseconds watched_{};
};

/// Removes the probes of the processes, of any owner, and says so on standard error. Returns whether it
/// could with all.
bool remove_all_probes(const ProcessChoice& processes);

}  // namespace eventspace
