#include "monitors/delays/path_delays.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "scopes/wrappers/record_processes.h"

namespace eventspace {
PathDelays::PathDelays(const Plan& plan, const PlanNames& names) : names_(&names), paths_(delay_paths(plan)) {
  for (const auto& [number, path] : paths_)
    if (path.is_collective) givers_[path.channel] = path.participants;
  for (const auto& [channel, givers] : givers_) origins_.expect(channel, givers);
}

// --- views ------------------------------------------------------------------------------------------------

void PathDelays::add(const View& view) {
  follow_runs(view);
  RecordProcesses processes(*names_);
  processes.learn(view);
  std::int64_t complete = std::numeric_limits<std::int64_t>::max();
  for (const ProcessReport& report : view.processes)
    complete = std::min(complete, report.here(std::min(report.now_ticks, report.complete_ticks)).ns);
  if (!view.processes.empty()) seen_until_ = complete;
  for (const TraceTuple& tuple : view.records) {
    const EventRecord record = decode(tuple);
    if (!record.is_operation() || record.in_flight() || record.is_continuation()) continue;
    const auto path = paths_.find(record.path);
    const ProcessReport* const process = processes.of(record);
    if (path == paths_.end() || path->second.point != record.point || process == nullptr) continue;
    const std::uint32_t node = node_number(names_->node_of_process(process->process));
    held_.push_back({record, Moment::of(record.start, *process, node), Moment::of(record.end, *process, node),
                     follow_gap(record)});
  }
  if (held_.size() <= max_records) return;
  std::vector<std::int64_t> ends;
  for (const Held& held : held_) ends.push_back(held.end.ns);
  const auto half = ends.begin() + static_cast<std::ptrdiff_t>(ends.size() / 2);
  std::ranges::nth_element(ends, half);
  use_until(*half);
}

void PathDelays::settle() {
  if (!seen_until_) return;
  const std::int64_t until = *seen_until_ - std::chrono::nanoseconds(unpublished).count();
  seen_until_.reset();
  use_until(until);
  constexpr std::int64_t patience = 1'000'000'000;  // a write that releases a take may end after it
  origins_.give_up(Moment{.ns = until - patience});
}

void PathDelays::finish() {
  use_until(std::numeric_limits<std::int64_t>::max());
  origins_.give_up_all();
}

// Tuples and operations of another run are numbered from 1 again.
void PathDelays::follow_runs(const View& view) {
  bool is_another_run = false;
  for (const ProcessReport& report : view.processes) {
    const auto [known, is_new] = runs_.try_emplace(report.process, report.pid, report.start_ticks);
    const bool is_later = !is_new && report.start_ticks > known->second.second;
    if (!is_later) continue;
    known->second = {report.pid, report.start_ticks};
    is_another_run = true;
  }
  if (!is_another_run) return;
  held_.clear();
  next_.clear();
  in_vain_.clear();
  origins_ = DelayOrigins();
  for (const auto& [channel, givers] : givers_) origins_.expect(channel, givers);
}

// The first record seen of a trace element follows an unknown past.
bool PathDelays::follow_gap(const EventRecord& record) {
  const auto source = names_->source_of(record.path, record.point);
  const std::pair key(record.path, source ? source->process : 0);
  const auto [next, is_first] = next_.try_emplace(key, record.sequence);
  const bool has_gap = !is_first && record.sequence != next->second;
  next->second = record.sequence + 1;
  return has_gap;
}

std::uint32_t PathDelays::node_number(std::string_view node) {
  const auto known = nodes_.find(node);
  if (known != nodes_.end()) return known->second;
  return nodes_.emplace(node, static_cast<std::uint32_t>(nodes_.size())).first->second;
}

// --- steps ------------------------------------------------------------------------------------------------

// Uses the held events that ended by then, in order of their ends.
void PathDelays::use_until(std::int64_t until) {
  const auto is_due = [until](const Held& held) { return held.end.ns <= until; };
  std::vector<const Held*> due;
  for (const Held& held : held_)
    if (is_due(held)) due.push_back(&held);
  std::ranges::stable_sort(due, {}, [](const Held* held) { return held->end.ns; });
  for (const Held* const held : due) use(*held);
  std::erase_if(held_, is_due);
}

void PathDelays::use(const Held& held) {
  const Path& path = paths_.at(held.record.path);
  if (has_found_nothing(held.record)) {
    const auto [known, is_new] = in_vain_.try_emplace(path.thread, Vain{held.record.path, held.begin});
    if (!is_new && known->second.path != held.record.path) known->second = {held.record.path, held.begin};
    return;
  }
  path.is_collective ? add_exchange(path, held) : add_operation(path, held);
}

// If the last operations of the thread were unsuccessful polls on the same path, the begin of the first of
// these.
Moment PathDelays::begin_of_wait(const Held& held) {
  const auto vain = in_vain_.find(paths_.at(held.record.path).thread);
  if (vain == in_vain_.end()) return held.begin;
  const bool is_same = vain->second.path == held.record.path;
  const Moment begin = is_same ? vain->second.begin : held.begin;
  in_vain_.erase(vain);
  return begin;
}

void PathDelays::add_exchange(const Path& path, const Held& held) {
  DelayStep step{.thread = path.thread, .begin = begin_of_wait(held), .end = held.end};
  step.follows_gap = held.follows_gap;
  const bool is_done = held.record.verb == Verb::exchange && held.record.status == Status::ok;
  if (is_done && !path.are_writes_unknown) {
    const DelaySignal arrival{path.channel, held.record.parameter};
    DelayStep comes = step;
    comes.end = comes.begin;
    comes.gives = arrival;
    origins_.add(comes);
    step.follows_gap = false;
    step.awaits = arrival;
  }
  step.waits_for_unknown = is_done && path.are_writes_unknown;
  origins_.add(step);
}

void PathDelays::add_operation(const Path& path, const Held& held) {
  DelayStep step{.thread = path.thread, .begin = begin_of_wait(held), .end = held.end};
  step.follows_gap = held.follows_gap;
  const std::uint64_t number = held.record.parameter;
  const Verb verb = held.record.verb;
  const bool has_tuple = held.record.status == Status::ok && number != 0;
  if (has_tuple && verb == Verb::write) {
    if (path.are_writes_awaited) step.gives = DelaySignal{path.channel, number};
    if (path.room_channel != 0 && number > path.threshold)
      step.awaits = DelaySignal{path.room_channel, number - path.threshold};
  } else if (has_tuple && (verb == Verb::read || verb == Verb::take)) {
    step.waits_for_unknown = path.are_writes_unknown;
    step.is_last_to_await = verb == Verb::take;
    if (!path.are_writes_unknown) step.awaits = DelaySignal{path.channel, number};
    if (verb == Verb::take && path.room_channel != 0) step.gives = DelaySignal{path.room_channel, number};
  }
  origins_.add(step);
}

}  // namespace eventspace
