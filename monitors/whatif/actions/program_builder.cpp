#include "monitors/whatif/actions/program_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_set>
#include <utility>

#include <eventspace/error.h>

namespace eventspace::whatif {
namespace {

// "1, 5, 6 and 20 others"
std::string list_of(const std::vector<std::uint32_t>& numbers) {
  constexpr std::size_t shown = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(shown, numbers.size()); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", numbers[i]);
  if (numbers.size() > shown) text += fmt::format(" and {} others", numbers.size() - shown);
  return text;
}

}  // namespace

ProgramBuilder::ProgramBuilder(std::string source) {
  program_.source = std::move(source);
  program_.functions.emplace_back();
}

void ProgramBuilder::refuse(std::uint32_t line, const std::string& what) const {
  if (line == 0) throw ConfigurationError(fmt::format("{}: {}", program_.source, what));
  throw ConfigurationError(fmt::format("{}:{}: {}", program_.source, line, what));
}

void ProgramBuilder::declare(std::uint64_t tasks, std::uint32_t line) {
  if (declared_ > 0) refuse(line, "the number of tasks is given twice");
  if (tasks == 0 || tasks > max_tasks)
    refuse(line, fmt::format("a program has 1 to {} tasks, not {}", max_tasks, tasks));
  declared_ = static_cast<std::uint32_t>(tasks);
}

void ProgramBuilder::check_task(std::uint32_t task, std::uint32_t line) const {
  if (declared_ == 0) refuse(line, "the number of tasks must come first");
  if (task >= declared_)
    refuse(line, fmt::format("unknown task {}; the program has the tasks 0 to {}", task, declared_ - 1));
}

void ProgramBuilder::name(std::uint32_t task, std::string name, std::uint32_t line) {
  check_task(task, line);
  if (program_.tasks.size() <= task) program_.tasks.resize(task + std::size_t{1});
  program_.tasks[task].name = std::move(name);
}

void ProgramBuilder::group(std::uint32_t number, std::vector<std::uint32_t> members, std::uint32_t line) {
  if (declared_ == 0) refuse(line, "the number of tasks must come first");
  if (number == 0 || number >= max_groups)
    refuse(line, fmt::format("found group {}; expected a number from 1 to {} (group 0 has all tasks)", number,
                             max_groups - 1));
  if (members.empty()) refuse(line, fmt::format("group {} has no members", number));
  std::unordered_set<std::uint32_t> seen;
  for (const std::uint32_t member : members) {
    check_task(member, line);
    if (!seen.insert(member).second)
      refuse(line, fmt::format("task {} is in group {} twice", member, number));
  }
  if (program_.groups.size() <= number) program_.groups.resize(number + std::size_t{1});
  if (!program_.groups[number].members.empty()) refuse(line, fmt::format("group {} is given twice", number));
  program_.groups[number].members = std::move(members);
}

std::uint16_t ProgramBuilder::function(std::string_view name, std::uint32_t line) {
  if (name.empty()) return 0;
  const auto known = functions_.find(std::string(name));
  if (known != functions_.end()) return known->second;
  if (program_.functions.size() >= max_functions)
    refuse(line, fmt::format("more than {} functions", max_functions - 1));
  const auto number = static_cast<std::uint16_t>(program_.functions.size());
  program_.functions.emplace_back(name);
  functions_.emplace(name, number);
  return number;
}

std::uint32_t ProgramBuilder::destinations(std::vector<std::uint32_t> tasks, std::uint32_t line) {
  if (tasks.empty()) refuse(line, "a multicast has no destination");
  for (const std::uint32_t task : tasks) check_task(task, line);
  program_.destinations.push_back(std::move(tasks));
  return static_cast<std::uint32_t>(program_.destinations.size() - 1);
}

void ProgramBuilder::check(std::uint32_t task, const Action& action, std::uint32_t line) const {
  check_task(task, line);
  if (task < open_.size() && open_[task].has_ended)
    refuse(line, fmt::format("found an action of task {} after its end", task));
  if (action.takes < 0 || action.takes > longest_time) refuse(line, "the duration is out of range");
  if (action.bytes > max_message_bytes)
    refuse(line, fmt::format("found a message of {} bytes; at most 2^44 are allowed", action.bytes));
  if (action.sends() || action.receives()) check_task(action.peer, line);
  if (action.group >= max_groups) refuse(line, fmt::format("unknown group {}", action.group));
}

void ProgramBuilder::append(std::uint32_t task, const Action& action, std::uint32_t line) {
  check(task, action, line);
  if (action.group != 0) first_use_.try_emplace(action.group, line);
  if (program_.tasks.size() <= task) program_.tasks.resize(task + std::size_t{1});
  Task& of = program_.tasks[task];
  of.actions.push_back(action);
  if (line != 0) of.lines.push_back(line);
}

void ProgramBuilder::add(std::uint32_t task, const Action& action, std::uint32_t line) {
  append(task, action, line);
}

std::size_t ProgramBuilder::begin(std::uint32_t task, Action action, std::uint64_t request,
                                  std::uint32_t line) {
  check(task, action, line);
  if (open_.size() <= task) open_.resize(task + std::size_t{1});
  if (program_.tasks.size() <= task) program_.tasks.resize(task + std::size_t{1});
  Open& open = open_[task];
  if (open.slots.contains(request))
    refuse(line, fmt::format("task {} begins request {} again before a wait for it", task, request));
  if (open.free.empty()) {
    action.request = program_.tasks[task].requests++;
  } else {
    action.request = open.free.back();
    open.free.pop_back();
  }
  open.slots.emplace(request, action.request);
  append(task, action, line);
  return program_.tasks[task].actions.size() - 1;
}

bool ProgramBuilder::is_open(std::uint32_t task, std::uint64_t request) const {
  return task < open_.size() && open_[task].slots.contains(request);
}

void ProgramBuilder::wait(std::uint32_t task, const Action& wait, std::span<const std::uint64_t> requests,
                          std::uint32_t line) {
  check_task(task, line);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!is_open(task, requests[i]))
      refuse(line, fmt::format("task {} waits for request {}, which it has not begun", task, requests[i]));
    Open& open = open_[task];
    const auto slot = open.slots.find(requests[i]);
    Action one = wait;
    one.request = slot->second;
    if (i > 0) (void)one.with(Mark::more);
    if (i + 1 < requests.size()) one.takes = 0;
    open.free.push_back(slot->second);
    open.slots.erase(slot);
    append(task, one, line);
  }
}

void ProgramBuilder::end(std::uint32_t task, std::uint32_t line) {
  check(task, {}, line);
  if (open_.size() <= task) open_.resize(task + std::size_t{1});
  open_[task].has_ended = true;
}

bool ProgramBuilder::has_ended(std::uint32_t task) const {
  return task < open_.size() && open_[task].has_ended;
}

void ProgramBuilder::require_groups() const {
  for (const auto& [group, line] : first_use_) {
    if (group >= program_.groups.size() || program_.groups[group].members.empty())
      refuse(line, fmt::format("unknown group {}: its members are not given", group));
  }
}

Program ProgramBuilder::give() {
  require_groups();
  program_.tasks.resize(declared_);
  if (program_.groups.empty()) program_.groups.resize(1);
  program_.groups[0].members.resize(declared_);
  std::iota(program_.groups[0].members.begin(), program_.groups[0].members.end(), 0U);
  return std::move(program_);
}

Program ProgramBuilder::finish() {
  if (declared_ == 0) refuse(0, "found no tasks; a program begins with their number");
  std::vector<std::uint32_t> missing;
  std::vector<std::uint32_t> truncated;
  for (std::uint32_t task = 0; task < declared_; ++task) {
    if (has_ended(task)) continue;
    const bool has_actions = task < program_.tasks.size() && !program_.tasks[task].actions.empty();
    (has_actions ? truncated : missing).push_back(task);
  }
  if (!truncated.empty())
    refuse(0, fmt::format("truncated: the actions of tasks {} have no end", list_of(truncated)));
  if (!missing.empty()) refuse(0, fmt::format("found no actions of tasks {}", list_of(missing)));
  return give();
}

Program ProgramBuilder::finish_unended() {
  if (declared_ == 0) refuse(0, "found no actions");
  std::vector<std::uint32_t> missing;
  for (std::uint32_t task = 0; task < declared_; ++task) {
    const bool has_actions = task < program_.tasks.size() && !program_.tasks[task].actions.empty();
    if (!has_actions && !has_ended(task)) missing.push_back(task);
  }
  if (!missing.empty()) refuse(0, fmt::format("found no actions of tasks {}", list_of(missing)));
  return give();
}

}  // namespace eventspace::whatif
