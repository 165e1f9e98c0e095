#pragma once

// Private to monitors/.

#include <CLI/App.hpp>
#include <chrono>
#include <functional>
#include <map>
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

/// What the commands that put probes into processes are asked for.
struct ProbeRequest {
  ProcessChoice processes;
  std::vector<std::string> patterns;  ///< of functions
  std::string modules;
  std::string callers;  ///< not the functions have probes, but their calls by those that match; empty: they
  ProbeTask task;
  CompiledTask compiled;
  std::optional<std::chrono::nanoseconds> duration;
  /// Of modules, so that those of many processes are read once.
  std::shared_ptr<ModuleCache> cache{std::make_shared<ModuleCache>()};
};

/// Adds the options that say what is measured: `--module`, `--calls-from`, `--time`, `--phase`, `--let`,
/// `--when`, `--value`,
/// `--every`.
void add_measuring(CLI::App& app, ProbeRequest& request);

/// Checks all of it before anything is done, and compiles the task. `how` says how functions are named: "say
/// which functions: PATTERN". Throws ConfigurationError, and EnvironmentError in a build without probes.
void check_request(ProbeRequest& request, const std::string& how);

/// Processes with probes, all of the same request.
class ProbedProcesses {
 public:
  /// Called with what is planned for a process, before its probes are put in: may add to it.
  using Prepare = std::function<std::optional<RecordedProbes>(std::int32_t pid, ProbePlan& plan)>;

  /// Puts probes into the processes, one after the other. A process that is refused is left as it was, and is
  /// among refusals() with the reason, as are parts of others that cannot have probes. Says nothing.
  /// `request` must outlive it.
  ProbedProcesses(const ProbeRequest& request, const std::vector<std::int32_t>& pids,
                  const Prepare& prepare = nullptr);
  /// The same for the processes that the request chooses; says on standard error what became of it.
  explicit ProbedProcesses(const ProbeRequest& request, const Prepare& prepare = nullptr);
  /// Removes its probes that are still there.
  ~ProbedProcesses();
  ProbedProcesses(const ProbedProcesses&) = delete;
  ProbedProcesses& operator=(const ProbedProcesses&) = delete;

  /// Whether all processes have at least one probe that was asked for (not only for a variable), also those
  /// that follow() has found, and whether remove() could remove all.
  [[nodiscard]] bool has_all() const noexcept { return has_all_; }
  /// One for each time that a process has got probes: a process that has left and come back is there twice,
  /// each with what was counted in that time.
  [[nodiscard]] const std::vector<ProbedProcess>& processes() const noexcept { return processes_; }

  [[nodiscard]] const GroupedRefusals& refusals() const noexcept { return refusals_; }
  /// Those of follow() only.
  [[nodiscard]] const GroupedRefusals& refused_later() const noexcept { return refused_later_; }
  /// Processes that follow() has found and that could not have probes.
  [[nodiscard]] std::size_t later_without() const noexcept { return later_without_.size(); }

  /// Looks at all. Returns whether any of them is still there, also without probes: it may come back.
  bool look();
  /// Takes the processes that are meant now: new ones get probes, and those that are not among `pids` any
  /// more lose theirs; what they have counted stays. A process that comes back gets new ones, which count
  /// from 0. Those that another tool has removed meanwhile are not put in again. What is refused is among
  /// refusals(), each reason once for a process. Probes that could not be removed stay, and go on counting;
  /// the next call and take_out() try again.
  void follow(const std::vector<std::int32_t>& pids);
  /// Looks again and again, so that what a process has counted until it ends is not lost: until a signal to
  /// stop comes, the duration is over, or no process is there any more. `looked` is called after each look.
  /// Unless the request has pids only, it follows the processes that it chooses, every two seconds, but not
  /// while these cannot be found out.
  void watch(StopSignals& signals, const std::function<void()>& looked = nullptr);
  [[nodiscard]] std::chrono::nanoseconds watched() const noexcept { return watched_; }
  /// Removes all its probes, and says on standard error what became of it.
  void remove();
  /// Removes all its probes. Where that fails, the reason is added to `failed`; so is it if a process has
  /// ended and its last calls may be missing. In the order of processes().
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
  std::set<std::int32_t> known_;   // those that were tried, and have not left; or still have probes
  std::set<std::int32_t> forked_;  // of these, those that have the probes of their parent
  std::vector<ProbedProcess> processes_;
  GroupedRefusals refusals_;
  GroupedRefusals refused_later_;
  std::set<std::pair<std::int32_t, std::string>> refused_;  // what is in refusals_
  std::set<std::int32_t> later_without_;
  bool is_following_{false};
  bool has_all_{true};
  std::chrono::nanoseconds watched_{};
};

/// Numbers that probes could not store, at the last look.
std::uint64_t not_stored_in(const ProbedProcess& process);
/// What they are, and why: "additions to ...".
std::string why_not_stored();

/// Switches the probes at the functions of the request on or off in these processes, or removes them, of any
/// owner. In the order of the processes; a process that has no such probe refuses it.
std::vector<InProcess<SwitchedProbes>> switch_probes_in(const std::vector<std::int32_t>& pids,
                                                        const ProbeRequest& request, ProbeState to);
/// Why some of them are as they were; empty: none is.
std::string left_as_they_are(const SwitchedProbes& switched);

/// Switches the probes at the functions of the request on or off, or removes them, in the processes that it
/// chooses, of any owner, and says on standard error what became of it. Returns whether all processes had
/// such a probe, and it could with all.
bool switch_probes_at(const ProbeRequest& request, ProbeState to);

/// Removes the probes of the processes, of any owner, and says so on standard error. Returns whether it
/// could with all.
bool remove_all_probes(const ProcessChoice& processes);

}  // namespace eventspace
