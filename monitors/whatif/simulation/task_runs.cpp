#include "monitors/whatif/simulation/task_runs.h"

#include <algorithm>
#include <cmath>

#include <eventspace/error.h>

namespace eventspace::whatif {
namespace {

// Keeps messages of collective operations apart from the program's messages.
constexpr std::uint32_t of_collectives = std::uint32_t{1} << 31;

}  // namespace

TaskRuns::TaskRuns(const Program& program, const SimulationSettings& settings, Agenda& agenda,
                   Matching& matching, Transport& transport)
    : program_(&program),
      settings_(&settings),
      agenda_(&agenda),
      matching_(&matching),
      transport_(&transport),
      runs_(program.tasks.size()),
      outcomes_(program.tasks.size()),
      ranks_(program.groups.size()) {
  for (std::size_t task = 0; task < runs_.size(); ++task) {
    runs_[task].requests.resize(program.tasks[task].requests + std::size_t{2});
    outcomes_[task].functions.resize(program.functions.size());
  }
  if (settings.traces) trace_.emplace().waits.resize(runs_.size());
  if (settings.traces && settings.times) trace_->times.resize(runs_.size());
  for (std::size_t group = 1; group < ranks_.size(); ++group) {
    const auto& members = program.groups[group].members;
    for (std::size_t rank = 0; rank < members.size(); ++rank)
      ranks_[group].emplace_back(members[rank], static_cast<std::uint32_t>(rank));
    std::ranges::sort(ranks_[group]);
  }
}

std::uint32_t TaskRuns::rank_in(std::uint32_t group, std::uint32_t task) const {
  if (group == 0) return task;
  const auto place = std::ranges::lower_bound(ranks_[group], std::pair(task, std::uint32_t{0}));
  return place == ranks_[group].end() || place->first != task ? 0 : place->second;
}

Picoseconds TaskRuns::scaled(Picoseconds duration, double factor) {
  if (factor == 1) return duration;
  const double product = static_cast<double>(duration) * factor;
  if (product > static_cast<double>(longest_time))
    throw ConfigurationError("a scaled duration exceeds 53 days, the most that can be simulated");
  return static_cast<Picoseconds>(std::llround(product));
}

void TaskRuns::begin() {
  for (std::uint32_t task = 0; task < runs_.size(); ++task) agenda_->at(0, *this, 0, task);
}

void TaskRuns::happen(std::uint32_t /*what*/, std::uint32_t which) {
  Run& run = runs_[which];
  if (run.waits_for != nothing) unblock(run, which);
  advance(which);
}

void TaskRuns::advance(std::uint32_t task) {
  Run& run = runs_[task];
  const auto& actions = program_->tasks[task].actions;
  while (run.next < actions.size()) {
    const Action& action = actions[run.next];
    if (run.stage == 0 && run.step == 0) {
      run.began = agenda_->now();
      run.blocked = 0;
    }
    const Flow flow = perform(task, action);
    if (flow == Flow::pauses) return;
    if (flow == Flow::ends_action) end_action(task, action);
  }
  outcomes_[task].execution = agenda_->now();
}

void TaskRuns::end_action(std::uint32_t task, const Action& action) {
  Run& run = runs_[task];
  outcomes_[task].functions[action.function].add(action, agenda_->now() - run.began, run.blocked);
  if (trace_ && !trace_->times.empty()) trace_->times[task].emplace_back(run.began, agenda_->now());
  count_marks(action, marked_);
  ++run.next;
  run.stage = 0;
  run.step = 0;
}

TaskRuns::Flow TaskRuns::perform(std::uint32_t task, const Action& action) {
  switch (action.kind) {
    case ActionKind::compute:
    case ActionKind::idle:
    case ActionKind::overhead:
      return work(task, action);
    case ActionKind::send:
    case ActionKind::isend:
      return send(task, action);
    case ActionKind::receive:
    case ActionKind::ireceive:
      return receive(task, action);
    case ActionKind::wait:
      return wait(task, action);
    case ActionKind::multicast:
      return multicast(task, action);
    case ActionKind::group:
      return group(task, action);
  }
  return Flow::ends_action;
}

// --- stages ----------------------------------------------------------------------------------------------

TaskRuns::Flow TaskRuns::hold(std::uint32_t task, Picoseconds duration, std::uint8_t then) {
  runs_[task].stage = then;
  if (duration == 0) return Flow::goes_on;
  agenda_->at(agenda_->after(duration), *this, 0, task);
  return Flow::pauses;
}

TaskRuns::Flow TaskRuns::hold_overhead(std::uint32_t task, Picoseconds duration, std::uint8_t then) {
  outcomes_[task].overhead += duration;
  return hold(task, duration, then);
}

TaskRuns::Flow TaskRuns::block(std::uint32_t task, std::uint32_t request, std::uint8_t then) {
  Run& run = runs_[task];
  run.stage = then;
  const Request& of = run.requests[request];
  if (of.is_done && of.at <= agenda_->now()) return Flow::goes_on;
  run.waits_for = request;
  run.blocked_since = agenda_->now();
  if (of.is_done) agenda_->at(of.at, *this, 0, task);
  return Flow::pauses;
}

void TaskRuns::completed(std::uint32_t task, std::uint32_t request, Picoseconds at, Picoseconds partner_began,
                         Picoseconds own_began) {
  Run& run = runs_[task];
  Request& of = run.requests[request];
  of.is_done = true;
  of.at = at;
  of.partner_began = partner_began;
  of.own_began = own_began;
  if (run.waits_for == request) agenda_->at(std::max(at, agenda_->now()), *this, 0, task);
}

void TaskRuns::unblock(Run& run, std::uint32_t task) {
  const Request& of = run.requests[run.waits_for];
  const Picoseconds blocked = agenda_->now() - run.blocked_since;
  const Picoseconds algorithmic = std::clamp<Picoseconds>(of.partner_began - run.blocked_since, 0, blocked);
  outcomes_[task].algorithmic += algorithmic;
  outcomes_[task].service += blocked - algorithmic;
  run.blocked += blocked;
  run.waits_for = nothing;
  if (trace_) trace_->waited(task, agenda_->now(), {of.partner, of.partner_began, of.own_began, of.receives});
}

void TaskRuns::post(std::uint32_t task, const Receive& receive) {
  runs_[task].requests[receive.request] = {.receives = true, .partner = receive.from};
  matching_->receive(receive);
}

bool TaskRuns::start_send(std::uint32_t task, const Message& message, bool is_sync) {
  outcomes_[task].messages += 1;
  outcomes_[task].bytes += message.bytes;
  runs_[task].requests[message.request] = {.partner = message.to};
  if (trace_) trace_->sent(task, message.to, message.bytes, agenda_->now());
  if (matching_->send(message, is_sync)) return true;
  runs_[task].requests[message.request].is_done = true;
  runs_[task].requests[message.request].at = agenda_->now();
  return false;
}

// --- actions ---------------------------------------------------------------------------------------------

TaskRuns::Flow TaskRuns::work(std::uint32_t task, const Action& action) {
  if (runs_[task].stage != 0) return Flow::ends_action;
  const bool computes = action.kind == ActionKind::compute;
  if (action.kind == ActionKind::overhead) return hold_overhead(task, library(action), 1);
  const Picoseconds duration = computes ? scaled(action.takes, settings_->compute) : action.takes;
  (computes ? outcomes_[task].compute : outcomes_[task].idle) += duration;
  return hold(task, duration, 1);
}

TaskRuns::Flow TaskRuns::send(std::uint32_t task, const Action& action) {
  Run& run = runs_[task];
  const bool is_blocking = action.kind == ActionKind::send;
  const std::uint32_t request = is_blocking ? own_request(task, 0) : action.request;
  const Picoseconds cost = send_cost(task, action.peer);
  switch (run.stage) {
    case 0:
      return hold_overhead(task, cost, 1);
    case 1:
      run.send_waits = start_send(task,
                                  {.from = task,
                                   .to = action.peer,
                                   .group = action.group,
                                   .tag = action.tag,
                                   .bytes = action.bytes,
                                   .send_began = run.began,
                                   .request = request,
                                   .is_answered = is_blocking && action.has(Mark::answered)},
                                  action.has(Mark::sync));
      return hold_overhead(task, std::max<Picoseconds>(library(action) - cost, 0), 2);
    case 2:
      if (is_blocking && run.send_waits) return block(task, request, 3);
      return Flow::ends_action;
    default:
      return Flow::ends_action;
  }
}

TaskRuns::Flow TaskRuns::receive(std::uint32_t task, const Action& action) {
  Run& run = runs_[task];
  const bool is_blocking = action.kind == ActionKind::receive;
  const std::uint32_t request = is_blocking ? own_request(task, 0) : action.request;
  switch (run.stage) {
    case 0:
      post(task, {.task = task,
                  .request = request,
                  .from = action.peer,
                  .group = action.group,
                  .tag = action.tag,
                  .bytes = action.bytes,
                  .is_partial = action.has(Mark::partial),
                  .posted = agenda_->now()});
      if (is_blocking) return block(task, request, 1);
      return hold_overhead(task, library(action), 3);
    case 1:
      return hold_overhead(task, std::max(receive_cost(action.peer, task), library(action)), 2);
    case 2:
      if (!matching_->is_local(action.peer, task)) transport_->taken(task, action.peer);
      return Flow::ends_action;
    default:
      return Flow::ends_action;
  }
}

TaskRuns::Flow TaskRuns::wait(std::uint32_t task, const Action& action) {
  const Request& request = runs_[task].requests[action.request];
  switch (runs_[task].stage) {
    case 0:
      return block(task, action.request, 1);
    case 1: {
      const Picoseconds cost = request.receives ? receive_cost(request.partner, task) : 0;
      return hold_overhead(task, std::max(cost, library(action)), 2);
    }
    default:
      if (request.receives && !matching_->is_local(request.partner, task))
        transport_->taken(task, request.partner);
      return Flow::ends_action;
  }
}

TaskRuns::Flow TaskRuns::multicast(std::uint32_t task, const Action& action) {
  Run& run = runs_[task];
  const auto& destinations = program_->destinations[action.peer];
  const auto is_remote = [&](std::uint32_t to) { return !matching_->is_local(task, to); };
  const Picoseconds cost = std::ranges::any_of(destinations, is_remote) ? transport_->send_cost() : 0;
  if (run.stage == 0) return hold_overhead(task, cost, 1);
  if (run.stage == 2) return Flow::ends_action;
  outcomes_[task].messages += 1;
  outcomes_[task].bytes += action.bytes;
  for (const std::uint32_t to : destinations) {
    if (trace_) trace_->sent(task, to, action.bytes, agenda_->now());
  }
  matching_->multicast({.from = task,
                        .group = action.group,
                        .tag = action.tag,
                        .bytes = action.bytes,
                        .send_began = run.began},
                       destinations);
  return hold_overhead(task, std::max<Picoseconds>(library(action) - cost, 0), 2);
}

TaskRuns::Flow TaskRuns::group(std::uint32_t task, const Action& action) {
  Run& run = runs_[task];
  constexpr std::uint8_t over = 7;
  if (run.stage == over) return Flow::ends_action;
  const GroupCall call{.operation = action.operation,
                       .members = static_cast<std::uint32_t>(program_->groups[action.group].members.size()),
                       .rank = rank_in(action.group, task),
                       .root = action.peer,
                       .bytes = action.bytes};
  const auto step = whatif::group_step(call, run.step);
  if (!step) return hold_overhead(task, library(action), over);
  return group_step(task, action, *step);
}

TaskRuns::Flow TaskRuns::group_step(std::uint32_t task, const Action& action, const GroupStep& step) {
  Run& run = runs_[task];
  const auto& members = program_->groups[action.group].members;
  const std::uint32_t to = step.to ? members[*step.to] : task;
  const std::uint32_t from = step.from ? members[*step.from] : task;
  const std::uint32_t group = action.group | of_collectives;
  switch (run.stage) {
    case 0:
      return hold_overhead(task, step.to ? send_cost(task, to) : 0, 1);
    case 1:
      if (step.from)
        post(task, {.task = task,
                    .request = own_request(task, 1),
                    .from = from,
                    .group = group,
                    .bytes = step.bytes_received,
                    .posted = agenda_->now()});
      run.send_waits = step.to && start_send(task,
                                             {.from = task,
                                              .to = to,
                                              .group = group,
                                              .bytes = step.bytes_sent,
                                              .send_began = agenda_->now() - send_cost(task, to),
                                              .request = own_request(task, 0)},
                                             false);
      if (step.from) return block(task, own_request(task, 1), 2);
      run.stage = 3;
      return Flow::goes_on;
    case 2:
      if (!matching_->is_local(from, task)) transport_->taken(task, from);
      return hold_overhead(task, receive_cost(from, task), 3);
    case 3:
      if (run.send_waits) return block(task, own_request(task, 0), 4);
      [[fallthrough]];
    default:
      ++run.step;
      run.stage = 0;
      return Flow::goes_on;
  }
}

// --- what is left at the end ------------------------------------------------------------------------------

std::uint32_t TaskRuns::waits_for_task(std::uint32_t task) const {
  const Run& run = runs_[task];
  return run.waits_for == nothing ? task : run.requests[run.waits_for].partner;
}

std::vector<TaskRuns::Waiting> TaskRuns::waiting() const {
  std::vector<Waiting> all;
  for (std::uint32_t task = 0; task < runs_.size(); ++task) {
    if (runs_[task].next < program_->tasks[task].actions.size())
      all.push_back({task, runs_[task].next, waits_for_task(task)});
  }
  return all;
}

}  // namespace eventspace::whatif
