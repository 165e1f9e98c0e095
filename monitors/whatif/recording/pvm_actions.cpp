#include "monitors/whatif/recording/pvm_actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "collectors/pvm/pvm_calls.h"
#include "tuplespace/system/saturating.h"

namespace eventspace::whatif {
namespace {

constexpr std::uint32_t of_daemons = 0x80000000;  // a bit of the numbers of PVM's daemons

std::optional<GroupOperation> operation_of(const std::string& function) {
  if (function == "pvm_barrier") return GroupOperation::barrier;
  if (function == "pvm_reduce") return GroupOperation::reduce;
  if (function == "pvm_gather") return GroupOperation::gather;
  if (function == "pvm_scatter") return GroupOperation::scatter;
  return std::nullopt;
}

}  // namespace

void PvmActions::add(std::span<const TraceTuple> event, std::string_view process, const ActionTime& time) {
  const PvmCallRecord record = pvm_call_of(event.back());
  if (record.task == PvmCallRecord::no_task) return;  // it could not become a task
  if (record.has(PvmMarks::nested)) return add_inside(record, event, time);
  last_call_[record.task] = calls_.size();
  processes_.try_emplace(record.task, process);
  calls_.push_back({.record = record, .time = time, .destinations = pvm_destinations_of(event)});
}

void PvmActions::add_inside(const PvmCallRecord& record, std::span<const TraceTuple> event,
                            const ActionTime& time) {
  const auto last = last_call_.find(record.task);
  if (last == last_call_.end()) return;  // the record of the call around it was lost
  Call& around = calls_[last->second];
  ++around.inside;
  // Forged records may claim more time than the call took.
  const auto add_to = [&](std::int64_t& sum) {
    sum = std::min(saturating::add(sum, time.duration()), around.time.duration());
  };
  const bool is_of_group = around.record.of == PvmClass::group;
  if (record.of == PvmClass::wait) add_to(around.blocked_ns);
  if (record.of == PvmClass::manage && is_of_group) add_to(around.asking_ns);
  if (record.of == PvmClass::output) ++writes_;
  if (record.of == PvmClass::input) ++reads_;
  if (record.of == PvmClass::send && record.tasks > 0 && is_of_group)
    around.destinations = pvm_destinations_of(event);
}

// In the order of their begins, so that the task that spawned the others is first.
void PvmActions::number_tasks() {
  for (const Call& call : calls_) {
    const auto number = static_cast<std::uint32_t>(tasks_by_number_.size());
    if (!tasks_by_number_.try_emplace(call.record.task, number).second) continue;
    tasks_->builder().name(number, processes_[call.record.task]);
  }
}

std::optional<std::uint32_t> PvmActions::task_of(std::uint32_t number) const {
  const auto found = tasks_by_number_.find(number);
  return found == tasks_by_number_.end() ? std::nullopt : std::optional(found->second);
}

void PvmActions::finish() {
  std::ranges::stable_sort(calls_, {}, [](const Call& call) { return call.time.begin_ns; });
  number_tasks();
  for (const Call& call : calls_) {
    const std::uint32_t task = *task_of(call.record.task);
    tasks_->call(task, call.time, beside_ns_of(call));
    make_actions(call, task);
  }
  for (const auto& [number, task] : tasks_by_number_) tasks_->ends(task);
  complete_barriers();
  complete_operations();
  for (const auto& [members, group] : groups_) tasks_->builder().group(group, members);
  note_what_is_missing();
}

// Only another task can make a receive wait. Sending to a daemon or to the task itself is the library's work
// on any network.
std::int64_t PvmActions::beside_ns_of(const Call& call) const {
  const bool waits = call.record.of == PvmClass::receive && call.record.partner != call.record.task;
  return call.inside * recorder_ns_ + (waits ? call.blocked_ns : 0);
}

void PvmActions::make_actions(const Call& call, std::uint32_t task) {
  switch (call.record.of) {
    case PvmClass::send:
      return call.record.tasks > 0 ? multicast(call, task) : message(call, task, ActionKind::send);
    case PvmClass::receive:
      return receive(call, task);
    case PvmClass::group:
      return name_of_pvm_call(call.record.call) == "pvm_bcast" ? multicast(call, task) : operate(call, task);
    case PvmClass::probe:
    case PvmClass::look:
      return add_action(call, task, ActionKind::overhead, Mark::probe);
    case PvmClass::manage: {
      if (name_of_pvm_call(call.record.call) == "pvm_joingroup" && call.record.error == 0)
        instances_[{call.record.group, task}] = call.record.partner;
      return add_action(call, task, ActionKind::idle);  // the daemons or the group server do the work
    }
    case PvmClass::pack:
    case PvmClass::unpack:
    case PvmClass::wait:
    case PvmClass::input:
    case PvmClass::output:
      break;
  }
  add_action(call, task, ActionKind::overhead);
}

void PvmActions::add_action(const Call& call, std::uint32_t task, ActionKind kind, std::optional<Mark> mark) {
  Action action{.kind = kind};
  action.function = tasks_->builder().function(name_of_pvm_call(call.record.call));
  if (mark) (void)action.with(*mark);
  if (kind == ActionKind::overhead && call.record.calls > 1) action.bytes = call.record.calls;
  tasks_->add(task, action);
}

// --- messages ----------------------------------------------------------------------------------------------

void PvmActions::message(const Call& call, std::uint32_t task, ActionKind kind) {
  const auto partner = task_of(call.record.partner);
  if (!partner || call.record.error != 0) {
    if (call.record.error == 0)
      ++(((call.record.partner & of_daemons) != 0) ? with_daemons_ : unknown_partners_);
    return add_action(call, task, ActionKind::overhead);
  }
  if (kind == ActionKind::send) ++sends_;
  Action action{.kind = kind};
  action.function = tasks_->builder().function(name_of_pvm_call(call.record.call));
  action.peer = *partner;
  action.tag = call.record.tag;
  action.bytes = call.record.bytes;
  if (call.record.has(PvmMarks::any_source) || call.record.has(PvmMarks::any_tag))
    (void)action.with(Mark::wildcard);
  tasks_->add(task, action);
}

// The record of a receive that found no message has the requested source and tag, or there is no record.
void PvmActions::receive(const Call& call, std::uint32_t task) {
  const std::string name = name_of_pvm_call(call.record.call);
  const bool is_timed = name == "pvm_trecv";
  const bool may_find_none = is_timed || name == "pvm_nrecv";
  if (may_find_none && !call.record.has(PvmMarks::found))
    return add_action(call, task, ActionKind::overhead, is_timed ? Mark::timed : Mark::probe);
  message(call, task, ActionKind::receive);
  if (!may_find_none) return;
  Action& last = tasks_->builder().program().tasks[task].actions.back();
  (void)last.with(is_timed ? Mark::timed : Mark::probe);
}

void PvmActions::multicast(const Call& call, std::uint32_t task) {
  std::vector<std::uint32_t> known;
  for (const std::uint32_t number : call.destinations) {
    if (const auto to = task_of(number)) {
      known.push_back(*to);
    } else {
      ++unknown_partners_;
    }
  }
  if (call.record.of == PvmClass::send && call.record.tasks > call.destinations.size())
    unlisted_destinations_ += call.record.tasks - call.destinations.size();
  if (known.empty() || call.record.error != 0) return add_action(call, task, ActionKind::overhead);
  ++sends_;
  Action action{.kind = ActionKind::multicast};
  action.function = tasks_->builder().function(name_of_pvm_call(call.record.call));
  action.peer = tasks_->builder().destinations(std::move(known));
  action.tag = call.record.tag;
  action.bytes = call.record.bytes;
  tasks_->add(task, action);
}

// --- operations of groups ----------------------------------------------------------------------------------

void PvmActions::operate(const Call& call, std::uint32_t task) {
  const auto operation = operation_of(name_of_pvm_call(call.record.call));
  if (!operation || call.record.error != 0) return add_action(call, task, ActionKind::overhead);
  if (call.asking_ns > 0) ask_server(call, task);
  add_action(call, task, ActionKind::group);
  const std::size_t place = tasks_->builder().program().tasks[task].actions.size() - 1;
  Action& action = tasks_->builder().action(task, place);
  action.operation = *operation;
  action.bytes = call.record.bytes;
  if (call.asking_ns > 0) (void)action.with(Mark::more);
  const Member member{task, place, call.time.begin_ns, call.record.tasks, call.record.partner};
  if (*operation == GroupOperation::barrier) return barriers_[call.record.group].push_back(member);
  const std::uint64_t turn = counts_[{call.record.group, call.record.call, call.record.tag, task}]++;
  operations_[{call.record.group, call.record.call, call.record.tag, turn}].push_back(member);
}

// The first of the two actions of a call: it gets the first part of the time, and the operation gets the
// rest.
void PvmActions::ask_server(const Call& call, std::uint32_t task) {
  const std::int64_t asked_ns = call.time.begin_ns + call.asking_ns;  // within the call: add_inside()
  tasks_->call(task, {call.time.begin_ns, asked_ns});
  add_action(call, task, ActionKind::idle);
  tasks_->call(task, {asked_ns, call.time.end_ns}, beside_ns_of(call));
}

// Tasks stay in a barrier until the last task has arrived, so the next n tasks that begin form one barrier of
// n.
void PvmActions::complete_barriers() {
  for (auto& [group, members] : barriers_) {
    std::span<const Member> left(members);
    while (!left.empty()) {
      const std::size_t count = std::max<std::size_t>(left.front().count, 1);
      if (count > left.size()) {
        incomplete_barriers_ += left.size();
        for (const Member& member : left)
          tasks_->builder().action(member.task, member.action).kind = ActionKind::overhead;
        break;
      }
      const auto together = left.first(count);
      complete(together, by_instance(group, together), 0);
      left = left.subspan(count);
    }
  }
}

void PvmActions::complete_operations() {
  for (const auto& [operation, members] : operations_) {
    const std::uint32_t group = std::get<0>(operation);
    const std::vector<std::uint32_t> by_rank = by_instance(group, members);
    std::uint32_t root = 0;
    for (std::uint32_t rank = 0; rank < by_rank.size(); ++rank) {
      const auto instance = instances_.find({group, by_rank[rank]});
      if (instance != instances_.end() && instance->second == members.front().root) root = rank;
    }
    complete(members, by_rank, root);
  }
}

void PvmActions::complete(std::span<const Member> members, const std::vector<std::uint32_t>& by_rank,
                          std::uint32_t root) {
  const std::uint32_t group = group_of(by_rank);
  for (const Member& member : members) {
    Action& action = tasks_->builder().action(member.task, member.action);
    action.group = group;
    action.peer = root;
  }
}

std::vector<std::uint32_t> PvmActions::by_instance(std::uint32_t group,
                                                   std::span<const Member> members) const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranks;
  for (const Member& member : members) {
    const auto instance = instances_.find({group, member.task});
    ranks.emplace_back(instance == instances_.end() ? PvmCallRecord::none : instance->second, member.task);
  }
  std::ranges::sort(ranks);
  std::vector<std::uint32_t> tasks;
  tasks.reserve(ranks.size());
  for (const auto& [instance, task] : ranks) tasks.push_back(task);
  tasks.erase(std::unique(tasks.begin(), tasks.end()), tasks.end());
  return tasks;
}

std::uint32_t PvmActions::group_of(const std::vector<std::uint32_t>& members) {
  return groups_.try_emplace(members, static_cast<std::uint32_t>(groups_.size() + 1)).first->second;
}

void PvmActions::note_what_is_missing() {
  const auto note = [this](std::uint64_t count, const char* text) {
    if (count > 0) tasks_->note(fmt::format("{} {}", count, text));
  };
  if (writes_ + reads_ > 0)
    tasks_->note(fmt::format("{} messages were sent, by {} writes to sockets, and received by {} reads",
                             sends_, writes_, reads_));
  note(unknown_partners_,
       "messages are left out, because the task at their other end was not recorded; it may be on another "
       "host, or not spawned by a recorded task");
  note(with_daemons_, "messages with daemons are left out");
  note(unlisted_destinations_,
       "destinations of multicasts are unknown, because records list only 90 of each multicast");
  note(incomplete_barriers_,
       "barriers count as work of the library, because some of their tasks were not recorded");
}

}  // namespace eventspace::whatif
