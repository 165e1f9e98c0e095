#pragma once

#include <CLI/App.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "monitors/cli/stop_signals.h"
#include "monitors/probing/groups/grouped_refusals.h"
#include "monitors/probing/groups/process_options.h"
#include "monitors/probing/work/probed_process.h"

namespace eventspace {

/// The options of commands that put probes into processes.
struct ProbeRequest {
  ProcessChoice processes;
  std::vector<std::string> patterns;  ///< of functions
  std::string modules;
  std::string callers;  ///< if not empty, calls of the functions by callers that match are probed
  ProbeTask task;
  CompiledTask compiled;
  std::optional<std::chrono::nanoseconds> duration;
  /// Cache of modules, so that modules of many processes are read once.
  std::shared_ptr<ModuleCache> cache{std::make_shared<ModuleCache>()};
};

/// Adds the options of measuring: `--module`, `--calls-from`, `--time`, `--phase`, `--set`, `--when`,
/// `--value`, `--every`.
void add_measuring(CLI::App& app, ProbeRequest& request);

/// Checks the whole request before anything is done, and compiles the task. `how` says how functions are
/// named: "PATTERN", "--probe GLOB". Throws ConfigurationError, and EnvironmentError in a build without
/// probes.
void check_request(ProbeRequest& request, const std::string& how);

/// Processes with probes, all of the same request.
class ProbedProcesses {
 public:
  /// Called with the plan for a process before its probes are put in; may add to it.
  using Prepare = std::function<std::optional<RecordedProbes>(std::int32_t pid, ProbePlan& plan)>;

  /// Puts probes into the processes, one after the other. A process that is refused is left unchanged; the
  /// reason is among refusals(), as are functions that cannot be probed. Does not print. `request` must
  /// outlive it.
  ProbedProcesses(const ProbeRequest& request, const std::vector<std::int32_t>& pids,
                  const Prepare& prepare = nullptr);
  /// Does the same for the processes that the request chooses, and reports the result on standard error.
  explicit ProbedProcesses(const ProbeRequest& request, const Prepare& prepare = nullptr);
  /// Removes its remaining probes.
  ~ProbedProcesses();
  ProbedProcesses(const ProbedProcesses&) = delete;
  ProbedProcesses& operator=(const ProbedProcesses&) = delete;

  /// Whether all processes, also those found by follow(), have at least one probe at a requested function
  /// (not only for a variable), and remove() could remove all.
  [[nodiscard]] bool has_all() const noexcept { return has_all_; }
  /// One for each time that a process has got probes: a process that has left and come back is there twice,
  /// each with the counts of that time.
  [[nodiscard]] const std::vector<ProbedProcess>& processes() const noexcept { return processes_; }

  [[nodiscard]] const GroupedRefusals& refusals() const noexcept { return refusals_; }
  /// Only refusals during follow().
  [[nodiscard]] const GroupedRefusals& refused_later() const noexcept { return refused_later_; }
  /// The number of processes found by follow() that could not be probed.
  [[nodiscard]] std::size_t later_without() const noexcept { return later_without_.size(); }

  /// Reads all probes. Returns whether any process is still there; it need not have probes, as it may come
  /// back.
  bool look();
  /// Follows the choice: processes that are new in `pids` get probes, and those that are no longer in it lose
  /// theirs; their counts are kept. A process that comes back gets new probes, which count from 0. Probes
  /// that another tool has removed are not put in again. Refusals are added to refusals(), each reason once
  /// for a process. Probes that could not be removed stay and continue to count; the next call and take_out()
  /// try again.
  void follow(const std::vector<std::int32_t>& pids);
  /// Reads the probes repeatedly, so that the counts of processes that end are kept, until a signal to stop
  /// comes, the duration is over, or no process is left. `looked` is called after each reading. Unless the
  /// request has pids only, it follows the processes that it chooses every two seconds, except while these
  /// cannot be determined.
  void watch(StopSignals& signals, const std::function<void()>& looked = nullptr);
  [[nodiscard]] std::chrono::nanoseconds watched() const noexcept { return watched_; }
  /// Removes all its probes, and reports the result on standard error.
  void remove();
  /// Removes all its probes. Adds the reason to `failed` where that fails, and also where a process has ended
  /// and its last calls may be missing. In the order of processes().
  std::vector<Removal> take_out(GroupedRefusals& failed);

 private:
  static std::vector<Removal> take_out(const std::vector<ProbedProcess*>& processes, GroupedRefusals& failed);
  void place(const std::vector<std::int32_t>& pids);
  void place_or_refuse(std::int32_t pid);
  void forget_all_but(const std::vector<std::int32_t>& pids);
  void refuse(std::int32_t pid, const std::string& why);
  void place(std::int32_t pid);
  ProbePlan plan_for(std::int32_t pid);
  void report_variables() const;
  void report_not_stored() const;
  void report_placed() const;

  const ProbeRequest& request_;
  Prepare prepare_;
  std::set<std::int32_t> known_;   // processes that were tried and have not left, or still have probes
  std::set<std::int32_t> forked_;  // those of them that share the probes of their parent
  std::vector<ProbedProcess> processes_;
  GroupedRefusals refusals_;
  GroupedRefusals refused_later_;
  std::set<std::pair<std::int32_t, std::string>> refused_;  // reasons in refusals_
  std::set<std::int32_t> later_without_;
  bool is_following_{false};
  bool has_all_{true};
  std::chrono::nanoseconds watched_{};
};

/// How many numbers probes could not store, at the last reading.
std::uint64_t not_stored_in(const ProbedProcess& process);
/// A description of these numbers and the cause: "additions to ...".
std::string why_not_stored();

/// Switches the probes at the functions of the request on or off in these processes, or removes them, of any
/// owner. In the order of the processes; for a process without such a probe the result is a refusal.
std::vector<InProcess<SwitchedProbes>> switch_probes_in(const std::vector<std::int32_t>& pids,
                                                        const ProbeRequest& request, ProbeState to);
/// Why some of the probes were left as they were; empty: all were changed.
std::string left_as_they_are(const SwitchedProbes& switched);

/// Switches the probes at the functions of the request on or off, or removes them, in the processes that it
/// chooses, of any owner, and reports the result on standard error. Returns whether every process had such a
/// probe and all were changed.
bool switch_probes_at(const ProbeRequest& request, ProbeState to);

/// Removes the probes of the processes, of any owner, and reports it on standard error. Returns whether all
/// were removed.
bool remove_all_probes(const ProcessChoice& processes);

}  // namespace eventspace
