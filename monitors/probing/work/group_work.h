#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "monitors/probing/groups/group_answer.h"
#include "monitors/probing/groups/group_order.h"
#include "monitors/probing/variables/variable_reader.h"
#include "monitors/probing/work/probe_work.h"
#include "monitors/probing/work/process_segments.h"

namespace eventspace {

/// Carries out orders for groups of processes on any machines, and returns the answer. The destructor removes
/// its probes, and the segments in which they record. Not thread-safe.
class GroupWork {
 public:
  GroupWork() = default;
  virtual ~GroupWork() = default;
  GroupWork(const GroupWork&) = delete;
  GroupWork& operator=(const GroupWork&) = delete;

  /// Requires check_order(). Refusals by processes are in the answer. Throws EnvironmentError if no machine
  /// could be reached.
  virtual GroupAnswer carry_out(const GroupOrder& order) = 0;
  /// Waits for this time. To be called, with short times, while there are probes: it keeps the counts of
  /// processes that end, and keeps machines connected.
  virtual void wait(std::chrono::nanoseconds time) = 0;
};

/// Carries out orders with the processes of this machine.
class GroupWorkHere final : public GroupWork {
 public:
  GroupAnswer carry_out(const GroupOrder& order) override;
  /// Reads the probes, so that the counts of processes that end are kept. To be called ten times a second
  /// while there are probes. Each twentieth call follows the processes that are then chosen, unless these
  /// cannot be determined.
  void look_again();
  void wait(std::chrono::nanoseconds time) override;

 private:
  struct Dispatch;

  /// Without a session, calls are not recorded.
  GroupAnswer place(const GroupOrder& order, const FunctionPatterns& functions, const ProbeTask& task,
                    const std::string& session = {});
  std::vector<std::int32_t> named_members(const ProcessChoice& choice);
  ProbedProcesses::Prepare recording_in(const std::string& session, const ProbeTask& task);
  [[nodiscard]] ProbeRequest request_at(const FunctionPatterns& functions) const;
  GroupAnswer look(bool removes);
  void look_at_all();
  void add_processes(GroupAnswer& answer) const;
  void add_counted(GroupAnswer& answer, const ProbedProcess& process, const std::string& name) const;
  void add_lost(GroupAnswer& answer) const;
  GroupAnswer switch_probes(const std::vector<ProcessFacts>& members, const SwitchProbes& command);
  GroupAnswer read(const std::vector<ProcessFacts>& members, const ReadVariables& command);
  GroupAnswer read_in(const ProcessFacts& process, const std::vector<std::string>& variables);
  GroupAnswer callees(const std::vector<ProcessFacts>& members, const ListCallees& command);
  [[nodiscard]] std::string name_of_process(std::int32_t pid) const;
  void add_refusals(GroupAnswer& answer, const GroupedRefusals& refusals) const;

  std::unique_ptr<ProbeRequest> request_;      // the request of probed_
  std::unique_ptr<ProcessSegments> segments_;  // in which probed_ records; null: it does not record
  std::unique_ptr<ProbedProcesses> probed_;
  std::map<std::int32_t, std::string> names_;
  ProcessGroups groups_;       // for request_
  bool has_histogram_{false};  // for request_
  int looks_{0};
  VariableReader variables_;
  std::shared_ptr<ModuleCache> cache_{std::make_shared<ModuleCache>()};
};

}  // namespace eventspace
