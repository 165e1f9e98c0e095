#include "monitors/whatif/recording/path_actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "scopes/tree/local_ids.h"

namespace eventspace::whatif {

PathActions::PathActions(RecordedTasks& tasks, const Plan& plan, bool is_detailed)
    : tasks_(&tasks), plan_(&plan), is_detailed_(is_detailed) {
  if (is_detailed) find_exchanges();
}

// The participants of each collective, and the users of each element that threads may exchange on.
void PathActions::find_exchanges() {
  for (const CollectivePlan& collective : plan_->collectives) add_exchange_of(collective.participants);
  std::unordered_map<std::uint32_t, std::vector<PathIndex>> users;  // by element
  for (const PathIndex path : plan_->paths.indices()) {
    const PathPlan& of = plan_->paths[path];
    const bool may_exchange = plan_->elements[of.element].is_element() && of.use == PathUse::any;
    if (may_exchange && plan_->threads[of.thread].is_thread()) users[of.element.number32()].push_back(path);
  }
  for (auto& [element, paths] : users) add_exchange_of(std::move(paths));
}

// If one of them is not recorded, the last arrival is not known.
void PathActions::add_exchange_of(std::vector<PathIndex> participants) {
  const bool are_all_recorded = std::ranges::none_of(
      participants, [this](const PathIndex path) { return plan_->paths[path].traces.empty(); });
  if (!are_all_recorded || exchanges_.size() + 2 >= max_groups) return;
  for (const PathIndex path : participants) exchange_of_path_[path.number32()] = exchanges_.size();
  exchanges_.push_back({static_cast<std::uint32_t>(exchanges_.size() + 1), std::move(participants)});
}

std::uint32_t PathActions::task_of(std::uint32_t thread) {
  return task_of_thread_.try_emplace(thread, static_cast<std::uint32_t>(task_of_thread_.size()))
      .first->second;
}

// Whether the tuple server of another process executes the operation and answers.
bool PathActions::is_remote(PathIndex path) const {
  const ElementPlan& end = plan_->end_of(path);
  const Host from = plan_->threads[plan_->paths[path].thread].host();
  return end.host != from && !(end.is_shared() && plan_->node_of(end.host) == plan_->node_of(from));
}

std::uint16_t PathActions::function_of(Verb verb, PathIndex path) {
  std::string name(to_string(verb));
  const bool has_room = tasks_->builder().program().functions.size() < max_functions / 2;
  if (is_detailed_ && has_room) name += " " + plan_->paths[path].name;
  return tasks_->builder().function(name);
}

// Makes the operation of the participants of an exchange one action of their group.
void PathActions::become_exchange(const EventRecord& record, Action& action) {
  const auto exchange = exchange_of_path_.find(record.path);
  if (record.verb == Verb::exchange && record.status == Status::ok && exchange != exchange_of_path_.end()) {
    Exchange& of = exchanges_[exchange->second];
    of.is_used = true;
    ++messages_;
    action.kind = ActionKind::group;
    action.operation = GroupOperation::barrier;
    action.group = of.group;
  }
}

void PathActions::add(const EventRecord& record, std::string_view thread, const ActionTime& time) {
  const PathIndex path(record.path);
  if (is_local_id(record.path) || !plan_->paths.has(path)) return;
  const std::uint32_t task = task_of(record.thread);
  names_.try_emplace(task, thread);
  tasks_->call(task, time);
  Action action{.kind = ActionKind::overhead};
  action.function = function_of(record.verb, path);
  const bool is_message =
      record.status == Status::ok && (record.verb == Verb::write || record.verb == Verb::take);
  if (is_message && record.peer != no_peer) {
    ++messages_;
    action.kind = record.verb == Verb::write ? ActionKind::send : ActionKind::receive;
    action.peer = task_of(record.peer);
    action.tag = plan_->paths[path].element.number32();
    action.bytes = record.bytes;
    if (is_remote(path)) {
      if (action.kind == ActionKind::send) (void)action.with(Mark::answered);
      if (action.kind == ActionKind::receive) ++remote_takes_;
    }
  } else if (is_message) {
    ++shared_;
  }
  become_exchange(record, action);
  if (record.status == Status::empty || record.status == Status::full || record.status == Status::timed_out)
    (void)action.with(Mark::timed);
  tasks_->add(task, action);
}

void PathActions::finish() {
  for (const Exchange& exchange : exchanges_) {
    if (!exchange.is_used) continue;
    std::vector<std::uint32_t> members;
    for (const PathIndex path : exchange.participants)
      members.push_back(task_of(plan_->paths[path].thread.number32()));
    std::ranges::sort(members);
    members.erase(std::unique(members.begin(), members.end()), members.end());
    tasks_->builder().group(exchange.group, std::move(members));
  }
  for (const auto& [task, name] : names_) {
    tasks_->builder().name(task, std::string(name));
    tasks_->ends(task);
  }
  if (shared_ > 0)
    tasks_->note(
        fmt::format("{} operations are on elements that more than two threads use: they count as work of "
                    "the library",
                    shared_));
  if (remote_takes_ > 0)
    tasks_->note(
        fmt::format("{} tuples were taken from elements of other processes: the requests for them are not "
                    "simulated, so the prediction is too short on a slow network",
                    remote_takes_));
}

}  // namespace eventspace::whatif
