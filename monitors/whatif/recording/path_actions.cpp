#include "monitors/whatif/recording/path_actions.h"

#include <fmt/format.h>

#include <string>

#include "scopes/tree/local_ids.h"

namespace eventspace::whatif {

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

void PathActions::add(const EventRecord& record, std::string_view thread, const ActionTime& time) {
  const PathIndex path(record.path);
  if (is_local_id(record.path) || !plan_->paths.has(path)) return;
  const std::uint32_t task = task_of(record.thread);
  names_.try_emplace(task, thread);
  tasks_->call(task, time);
  Action action{.kind = ActionKind::overhead};
  action.function = tasks_->builder().function(to_string(record.verb));
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
  if (record.status == Status::empty || record.status == Status::full || record.status == Status::timed_out)
    (void)action.with(Mark::timed);
  tasks_->add(task, action);
}

void PathActions::finish() {
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
