#include "monitors/probing/work/group_work.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <set>
#include <thread>

#include <eventspace/error.h>
#include "collectors/switching/switch_processes.h"
#include "monitors/probing/code/exit_check.h"
#include "monitors/probing/groups/chosen_processes.h"
#include "monitors/probing/groups/value_cells.h"
#include "monitors/probing/measuring/call_cost.h"
#include "monitors/probing/symbols/function_names.h"
#include "monitors/probing/work/module_list.h"
#include "monitors/text/demangled.h"
#include "tuplespace/processes/process_environment.h"

namespace eventspace {
namespace {

/// Whether the process is an ancestor of this one, and so of the user's command: ancestors are never stopped.
bool has_started_this(std::int32_t pid) {
  std::int32_t at = ::getpid();
  for (int i = 0; i < 64 && at > 1; ++i) {
    if (at == pid) return true;
    at = parent_of_process(at);
  }
  return false;
}

/// Whether the process no longer runs a program, which is also true for a zombie.
bool has_ended(std::int32_t pid) {
  char first = 0;
  return ::readlink(fmt::format("/proc/{}/exe", pid).c_str(), &first, 1) < 0 &&
         (errno == ENOENT || errno == ESRCH);
}

std::vector<std::int32_t> pids_of(const std::vector<ProcessFacts>& members) {
  std::vector<std::int32_t> pids;
  pids.reserve(members.size());
  for (const ProcessFacts& process : members) pids.push_back(process.pid);
  return pids;
}

/// If the segments cannot be searched, the environments of the processes tell their sessions.
void look_for_sessions(std::vector<ProcessFacts>& members) {
  try {
    add_recorded(members);
  } catch (const EnvironmentError&) {
    // `eventspace segments` reports the fault.
  }
}

GroupAnswer list(std::vector<ProcessFacts> members) {
  look_for_sessions(members);
  GroupAnswer answer;
  answer.processes = answer.done = members.size();
  for (const ProcessFacts& process : members) answer.add(member_of(process));
  return answer;
}

GroupAnswer signal(const std::vector<ProcessFacts>& members, int number) {
  GroupAnswer answer;
  answer.processes = members.size();
  for (const ProcessFacts& process : members) {
    if (number == SIGSTOP && has_started_this(process.pid))
      answer.refusals.add(process.pid, "it has started this command, which would stop with it",
                          name_of(process));
    else if (::kill(process.pid, number) == 0)
      ++answer.done;
    else
      answer.refusals.add(process.pid, std::strerror(errno), name_of(process));
  }
  return answer;
}

GroupAnswer switch_recording(std::vector<ProcessFacts> members, const SwitchRecording& command) {
  look_for_sessions(members);
  GroupAnswer answer;
  answer.processes = members.size();
  const SwitchOrder order{.events = command.events, .period = command.period};
  for (const ProcessFacts& process : members) {
    const std::string session(process.session());
    const auto switched = session.empty() ? std::vector<SwitchedProcess>()
                                          : switch_processes(session, "", order, {process.pid});
    if (switched.empty())
      answer.refusals.add(process.pid, "it does not record in a session", name_of(process));
    else if (!switched.front().refusal.empty())
      answer.refusals.add(process.pid, switched.front().refusal, name_of(process));
    else
      ++answer.done;
  }
  return answer;
}

GroupAnswer detach(const std::vector<ProcessFacts>& members) {
  GroupAnswer answer;
  const auto removed = remove_probes(pids_of(members));
  answer.processes = members.size();
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto& [done, refusal] = removed[i];
    answer.probes += done.removed;
    answer.longest_stop = std::max(answer.longest_stop, done.longest_stop);
    refusal.empty() ? void(++answer.done) : answer.refusals.add(members[i].pid, refusal, name_of(members[i]));
  }
  return answer;
}

void add_variables(GroupAnswer& answer, const ProbedProcess& process, const std::string& name,
                   const std::vector<ProbeVariable>& variables) {
  for (std::size_t i = 0; i < std::min(variables.size(), process.variables().size()); ++i)
    if (NumberSpread* const spread = answer.variable(variables[i].name); spread != nullptr)
      spread->add(variables[i].number(process.variables()[i]), name);
}

void add_callees(GroupAnswer& answer, const ProcessModule& module, const DecodedModule& decoded,
                 const std::vector<std::string>& callers) {
  for (const Function& caller : decoded.symbols.functions) {
    const auto matches = [&](const std::string& pattern) { return name_matches(pattern, caller); };
    if (std::ranges::none_of(callers, matches)) continue;
    const EntryCheck& check = decoded.check();
    for (const Function* const callee : check.callees_of(caller)) {
      if (check.refusal_of(*callee) == EntryRefusal::none &&
          exits_of(check, *callee).refusal == ExitRefusal::none)
        (void)answer.function(module.path, demangled(callee->name));
    }
  }
}

}  // namespace

/// Calls the function for a command.
struct GroupWorkHere::Dispatch {
  GroupWorkHere& work;
  const GroupOrder& order;

  GroupAnswer operator()(const ListProcesses& /*command*/) const { return list(members()); }
  GroupAnswer operator()(const PlaceProbes& command) const {
    GroupAnswer answer = work.place(order, command.functions, command.task);
    work.has_histogram_ = command.has_histogram;
    return answer;
  }
  GroupAnswer operator()(const RecordCalls& command) const {
    return work.place(order, command.functions, command.task, command.session);
  }
  GroupAnswer operator()(const ReadProbes& /*command*/) const { return work.look(false); }
  GroupAnswer operator()(const RemoveProbes& /*command*/) const { return work.look(true); }
  GroupAnswer operator()(const RemoveAllProbes& /*command*/) const { return detach(members()); }
  GroupAnswer operator()(const SwitchProbes& command) const { return work.switch_probes(members(), command); }
  GroupAnswer operator()(const StopProcesses& /*command*/) const { return signal(members(), SIGSTOP); }
  GroupAnswer operator()(const ContinueProcesses& /*command*/) const { return signal(members(), SIGCONT); }
  GroupAnswer operator()(const SwitchRecording& command) const {
    return switch_recording(members(), command);
  }
  GroupAnswer operator()(const ListCallees& command) const { return work.callees(members(), command); }
  GroupAnswer operator()(const ReadVariables& command) const { return work.read(members(), command); }

 private:
  [[nodiscard]] std::vector<ProcessFacts> members() const { return members_here(order.choice, order.groups); }
};

GroupAnswer GroupWorkHere::carry_out(const GroupOrder& order) {
  return std::visit(Dispatch{*this, order}, order.command);
}

std::string GroupWorkHere::name_of_process(std::int32_t pid) const {
  const auto found = names_.find(pid);
  return found == names_.end() ? std::to_string(pid) : found->second;
}

void GroupWorkHere::add_refusals(GroupAnswer& answer, const GroupedRefusals& refusals) const {
  for (const auto& [reason, processes] : refusals.by_reason()) {
    GroupedRefusals::Processes named{processes.count, {}};
    for (const std::string& pid : processes.named)
      named.named.push_back(name_of_process(static_cast<std::int32_t>(std::stol(pid))));
    answer.refusals.add(reason, named);
  }
}

std::vector<std::int32_t> GroupWorkHere::named_members(const ProcessChoice& choice) {
  std::vector<std::int32_t> pids;
  for (const ProcessFacts& process : members_here(choice, groups_)) {
    pids.push_back(process.pid);
    names_[process.pid] = name_of(process);
  }
  return pids;
}

/// The function that makes a segment of the session for each process; null without a session.
ProbedProcesses::Prepare GroupWorkHere::recording_in(const std::string& session, const ProbeTask& task) {
  if (session.empty()) return nullptr;
  segments_ = std::make_unique<ProcessSegments>(session, task.values);
  return [segments = segments_.get()](std::int32_t pid, ProbePlan& plan) {
    return std::optional(segments->make(pid, plan));
  };
}

GroupAnswer GroupWorkHere::place(const GroupOrder& order, const FunctionPatterns& functions,
                                 const ProbeTask& task, const std::string& session) {
  probed_.reset();
  segments_.reset();
  names_.clear();
  groups_ = order.groups;
  has_histogram_ = false;
  const std::vector<std::int32_t> pids = named_members(order.choice);
  request_ = std::make_unique<ProbeRequest>(request_at(functions));
  request_->processes = order.choice;
  request_->task = task;
  check_request(*request_, "patterns");
  probed_ = std::make_unique<ProbedProcesses>(*request_, pids, recording_in(session, task));
  if (segments_) segments_->refresh(probed_->processes());
  GroupAnswer answer;
  answer.processes = pids.size();
  for (const ProbedProcess& process : probed_->processes()) {
    answer.done += process.has_asked_for() ? 1 : 0;
    answer.probes += process.functions().size();
    answer.longest_stop = std::max(answer.longest_stop, process.longest_stop());
  }
  if (request_->compiled.has_exits) answer.call_cost = measured_call_cost();
  add_refusals(answer, probed_->refusals());
  return answer;
}

void GroupWorkHere::look_at_all() {
  (void)probed_->look();
  if (segments_) segments_->refresh(probed_->processes());
}

void GroupWorkHere::look_again() {
  if (!probed_) return;
  look_at_all();
  constexpr int looks_between_choices = 20;
  if (++looks_ % looks_between_choices != 0 || request_->processes.has_pids_only()) return;
  std::vector<std::int32_t> pids;
  try {
    pids = named_members(request_->processes);
  } catch (const Error&) {
    return;  // until the next time, processes keep their probes
  }
  probed_->follow(pids);
}

void GroupWorkHere::wait(std::chrono::nanoseconds time) {
  look_again();
  std::this_thread::sleep_for(time);
}

// Each file is examined once, however many processes have mapped it.
GroupAnswer GroupWorkHere::callees(const std::vector<ProcessFacts>& members, const ListCallees& command) {
  GroupAnswer answer;
  std::set<const DecodedModule*> seen;
  for (const ProcessFacts& process : members) {
    ++answer.processes;
    try {
      for (const ProcessModule& module : modules_of(mapped_ranges(process.pid))) {
        if (!module_matches(command.modules, module.path)) continue;
        const auto decoded = cache_->decoded(process.pid, module);
        if (seen.insert(decoded.get()).second) add_callees(answer, module, *decoded, command.callers);
      }
      ++answer.done;
    } catch (const Error& error) {
      answer.refusals.add(process.pid, error.what(), name_of(process));
    }
  }
  return answer;
}

GroupAnswer GroupWorkHere::look(bool removes) {
  GroupAnswer answer;
  if (!probed_) return answer;
  GroupedRefusals failed;
  look_at_all();  // also before they are removed: afterwards the recording threads are unknown
  const auto removed = removes ? probed_->take_out(failed) : std::vector<Removal>();
  add_refusals(answer, failed);
  std::uint64_t not_taken_out = 0;
  for (const auto& [reason, processes] : failed.by_reason()) not_taken_out += processes.count;
  for (std::size_t i = 0; i < probed_->processes().size(); ++i) {
    const ProbedProcess& process = probed_->processes()[i];
    if (removes) {
      answer.probes += removed[i].removed;
      answer.longest_stop = std::max(answer.longest_stop, removed[i].longest_stop);
    }
    const std::string name = name_of_process(process.pid());
    add_counted(answer, process, name);
    add_variables(answer, process, name, request_->compiled.variables);
  }
  add_processes(answer);
  if (!removes) return answer;
  add_lost(answer);
  add_refusals(answer, probed_->refused_later());
  answer.processes += probed_->later_without();
  answer.failed = probed_->later_without() + not_taken_out;
  probed_.reset();
  segments_.reset();
  return answer;
}

/// Each process once, as it was when it last had probes: a process that left the group and came back had them
/// twice.
void GroupWorkHere::add_processes(GroupAnswer& answer) const {
  std::map<std::int32_t, bool> are_there;
  for (const ProbedProcess& process : probed_->processes()) are_there[process.pid()] = process.is_there();
  answer.processes += are_there.size();
  for (const auto& [pid, is_there] : are_there)
    is_there ? void(++answer.done)
             : answer.refusals.add(pid, "it has ended, or runs another program", name_of_process(pid));
}

void GroupWorkHere::add_counted(GroupAnswer& answer, const ProbedProcess& process,
                                const std::string& name) const {
  for (const ProbedProcess::Counted& counted : process.functions()) {
    if (counted.placed.has_lets_only) continue;
    const MeasuredCalls& measured = counted.measured;
    FunctionSpread one;
    one.calls.add(counted.calls, name);
    one.left_out = measured.left_out;
    if (request_->compiled.has_exits) {
      one.total_ns.add(measured.total_ns, name);
      one.own_ns.add(measured.own_ns, name);
    }
    for (std::size_t i = 0; i < request_->compiled.values.size(); ++i)
      one.values.push_back(spread_of(measured.values[i], name));
    if (has_histogram_) one.histogram.assign(measured.histogram.begin(), measured.histogram.end());
    if (FunctionSpread* const all = answer.function(counted.module, counted.function); all != nullptr)
      all->merge(one);
  }
}

void GroupWorkHere::add_lost(GroupAnswer& answer) const {
  for (const ProbedProcess& process : probed_->processes()) {
    const auto add = [&](const std::string& what) {
      answer.refusals.add(process.pid(), what, name_of_process(process.pid()));
    };
    if (segments_ && unrecorded_in(process) > 0)
      add("some of its calls were counted but not recorded: " + why_unrecorded_calls());
    if (not_stored_in(process) > 0) add("some of its numbers were lost: " + why_not_stored());
  }
}

ProbeRequest GroupWorkHere::request_at(const FunctionPatterns& functions) const {
  ProbeRequest request;
  request.patterns = functions.patterns;
  request.modules = functions.modules;
  request.callers = functions.callers;
  request.cache = cache_;
  return request;
}

GroupAnswer GroupWorkHere::switch_probes(const std::vector<ProcessFacts>& members,
                                         const SwitchProbes& command) {
  GroupAnswer answer;
  const auto switched = switch_probes_in(pids_of(members), request_at(command.functions), command.to);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto& [done, refusal] = switched[i];
    if (!refusal.empty() && has_ended(members[i].pid)) continue;  // e.g. a forked child that was chosen since
    ++answer.processes;
    answer.probes += done.probes;
    answer.longest_stop = std::max(answer.longest_stop, done.longest_stop);
    const std::string why = refusal.empty() ? left_as_they_are(done) : refusal;
    why.empty() ? void(++answer.done) : answer.refusals.add(members[i].pid, why, name_of(members[i]));
  }
  return answer;
}

GroupAnswer GroupWorkHere::read(const std::vector<ProcessFacts>& members, const ReadVariables& command) {
  GroupAnswer answer;
  // merge() keeps as many readings as an answer may have, and counts the others.
  for (const ProcessFacts& process : members) answer.merge(read_in(process, command.variables));
  variables_.forget_unread();
  return answer;
}

GroupAnswer GroupWorkHere::read_in(const ProcessFacts& process, const std::vector<std::string>& variables) {
  GroupAnswer answer;
  const std::string name = name_of(process);
  for (const std::string& variable : variables) {
    const VariableReader::Reading reading = variables_.read(process.pid, variable);
    if (reading.value) answer.readings.push_back({name, parse_variable(variable).name, *reading.value});
    if (!reading.refusal.empty()) answer.refusals.add(process.pid, reading.refusal, name);
  }
  // The process was chosen and has ended since, so its refusal is not reported.
  if (!answer.refusals.is_empty() && has_ended(process.pid)) return {};
  answer.processes = 1;
  answer.done = answer.refusals.is_empty() ? 1 : 0;
  return answer;
}

}  // namespace eventspace
