#include "monitors/whatif/recording/recorded_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <eventspace/error.h>

namespace eventspace::whatif {

RecordedTasks::RecordedTasks(std::string source, std::int64_t recorder_ns)
    : builder_(std::move(source)), recorder_ns_(recorder_ns) {
  builder_.declare(max_tasks);  // the number is known only at the end
}

void RecordedTasks::call(std::uint32_t task, const ActionTime& time, std::int64_t beside_ns) {
  const auto [place, is_new] = tasks_.try_emplace(task);
  Of& of = place->second;
  if (is_new) of.first_ns = of.last_ns = time.begin_ns;
  const std::int64_t between = time.begin_ns - of.last_ns - recorder_ns_;
  if (between > 0) {
    builder_.add(task, {.kind = ActionKind::compute, .takes = ps_of(between)});
    append(task, {of.last_ns, time.begin_ns});
  }
  of.last_ns = std::max(of.last_ns, time.end_ns);
  of.call = time;
  of.beside_ns = beside_ns;
}

Picoseconds RecordedTasks::call_takes(std::uint32_t task, bool takes_time) {
  const Of& of = tasks_[task];
  return takes_time ? ps_of(of.call.duration() - of.beside_ns) : 0;
}

void RecordedTasks::add(std::uint32_t task, Action action, bool takes_time) {
  action.takes = call_takes(task, takes_time);
  builder_.add(task, action);
  append(task, tasks_[task].call);
}

std::size_t RecordedTasks::begin(std::uint32_t task, const Action& action, std::uint64_t request,
                                 bool takes_time) {
  Action begun = action;
  begun.takes = call_takes(task, takes_time);
  append(task, tasks_[task].call);
  return builder_.begin(task, begun, request);
}

void RecordedTasks::wait(std::uint32_t task, const Action& action,
                         const std::vector<std::uint64_t>& requests) {
  Action wait = action;
  wait.takes = call_takes(task, true);
  builder_.wait(task, wait, requests);
  for (std::size_t i = 0; i < requests.size(); ++i) append(task, tasks_[task].call);
}

void RecordedTasks::cut(std::int64_t time, const std::string& reason) {
  if (time >= cut_ns_) return;
  cut_ns_ = time;
  cut_reason_ = reason;
}

// Includes tasks that others send to, so that a task without a trace is named.
std::uint32_t RecordedTasks::tasks_needed() const {
  std::uint32_t most = tasks_.empty() ? 0 : tasks_.rbegin()->first;
  const Program& program = const_cast<RecordedTasks*>(this)->builder_.program();
  for (const Task& task : program.tasks) {
    for (const Action& action : task.actions) {
      if (action.sends() || action.receives()) most = std::max(most, action.peer);
    }
  }
  for (const Group& group : program.groups) {
    for (const std::uint32_t member : group.members) most = std::max(most, member);
  }
  return most + 1;
}

RecordedProgram RecordedTasks::finish(std::string_view what) {
  for (const auto& [task, of] : tasks_) {
    if (!of.has_ended) cut(of.last_ns, fmt::format("recording ended before {} {} had ended", what, task));
  }
  builder_.lower(tasks_needed());
  for (const auto& [task, of] : tasks_) builder_.end(task);
  RecordedProgram made{builder_.finish_unended(), {}, std::move(notes_)};
  made.times.resize(made.program.tasks.size());
  for (auto& [task, of] : tasks_) made.times[task] = std::move(of.times);
  cut_off(made);
  begin_together(made);
  return made;
}

void RecordedTasks::cut_off(RecordedProgram& made) const {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  for (const auto& [task, of] : tasks_) begin = std::min(begin, of.first_ns);
  if (cut_reason_.empty()) return;
  if (cut_ns_ <= begin)
    throw ConfigurationError(
        fmt::format("{}: nothing can be predicted: {}", made.program.source, cut_reason_));
  made.program.cut = ProgramCut{ps_of(cut_ns_ - begin), cut_reason_};
  for (std::size_t task = 0; task < made.times.size(); ++task) {
    auto& times = made.times[task];
    const auto behind =
        std::ranges::find_if(times, [&](const ActionTime& time) { return time.begin_ns >= cut_ns_; });
    made.program.tasks[task].actions.resize(static_cast<std::size_t>(behind - times.begin()));
    times.erase(behind, times.end());
  }
}

// Tasks began one after the other; the recorded duration lasts until the last task ended.
void RecordedTasks::begin_together(RecordedProgram& made) const {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  std::int64_t end = 0;
  for (const auto& times : made.times) {
    if (times.empty()) continue;
    begin = std::min(begin, times.front().begin_ns);
    end = std::max(end, times.back().end_ns);
  }
  if (end <= begin)
    throw ConfigurationError(fmt::format("{}: the recorded program takes no time", made.program.source));
  for (std::size_t task = 0; task < made.times.size(); ++task) {
    auto& times = made.times[task];
    if (times.empty() || times.front().begin_ns == begin) continue;
    const std::int64_t first = times.front().begin_ns;
    auto& actions = made.program.tasks[task].actions;
    actions.insert(actions.begin(), {.kind = ActionKind::idle, .takes = ps_of(first - begin)});
    times.insert(times.begin(), {begin, first});
  }
  made.program.recorded = ps_of(end - begin);
}

}  // namespace eventspace::whatif
