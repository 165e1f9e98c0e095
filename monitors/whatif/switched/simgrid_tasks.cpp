#include "monitors/whatif/switched/simgrid_tasks.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "monitors/whatif/actions/group_steps.h"

namespace eventspace::whatif {
namespace {

namespace s4u = simgrid::s4u;

// Keeps messages of collective operations apart from the program's messages.
constexpr std::uint32_t of_collective_operations = std::uint32_t{1} << 31;

Picoseconds clock_now() { return static_cast<Picoseconds>(std::llround(s4u::Engine::get_clock() * 1e12)); }

void pass(Picoseconds duration) {
  if (duration > 0) s4u::this_actor::sleep_for(static_cast<double>(duration) / 1e12);
}

Picoseconds times(Picoseconds duration, double factor) {
  return factor == 1 ? duration
                     : static_cast<Picoseconds>(std::llround(static_cast<double>(duration) * factor));
}

/// One task, run by its actor.
class SimgridTask {
 public:
  SimgridTask(std::uint32_t task, const Program& program, const SwitchedJob& job, SimgridMail& mail,
              Outcome& outcome, TaskRuns::Waiting& waiting)
      : task_(task),
        program_(&program),
        job_(&job),
        mail_(&mail),
        all_(&outcome),
        own_(&outcome.tasks[task]),
        waiting_(&waiting),
        requests_(program.tasks[task].requests) {}

  /// Returns once the task has ended; an actor that is ended from outside does not return.
  void run() {
    const auto& actions = program_->tasks[task_].actions;
    for (std::size_t i = 0; i < actions.size(); ++i) {
      waiting_->action = i;
      const Picoseconds began = clock_now();
      blocked_ = 0;
      perform(actions[i]);
      end(actions[i], clock_now() - began);
    }
    own_->execution = clock_now();
  }

 private:
  // An operation that has begun: one of the two is set.
  struct Request {
    std::shared_ptr<Carried> sent{};  // empty if the sender need not wait
    std::shared_ptr<Posted> posted{};
    SimgridMail::Key key{};
    std::uint64_t bytes{0};
    bool is_partial{false};
    bool receives{false};
    bool is_answered{false};
  };

  void end(const Action& action, Picoseconds took) {
    own_->functions[action.function].add(action, took, blocked_);
    if (all_->trace && !all_->trace->times.empty())
      all_->trace->times[task_].emplace_back(clock_now() - took, clock_now());
    count_marks(action, all_->marked);
    ++all_->events;
  }

  void perform(const Action& action) {
    switch (action.kind) {
      case ActionKind::compute:
        return work(own_->compute, times(action.takes, job_->compute));
      case ActionKind::idle:
        return work(own_->idle, action.takes);
      case ActionKind::overhead:
        return overhead(action);
      case ActionKind::send:
        wait(send(action, action.peer));
        return overhead(action);
      case ActionKind::isend:
        requests_[action.request] = send(action, action.peer);
        return overhead(action);
      case ActionKind::receive:
        wait(receive(action));
        return overhead(action);
      case ActionKind::ireceive:
        requests_[action.request] = receive(action);
        return overhead(action);
      case ActionKind::wait:
        wait(std::exchange(requests_[action.request], {}));
        return overhead(action);
      case ActionKind::multicast:
        return multicast(action);
      case ActionKind::group:
        return group(action);
    }
  }

  static void work(Picoseconds& sum, Picoseconds duration) {
    sum += duration;
    pass(duration);
  }
  void overhead(const Action& action) { work(own_->overhead, times(action.takes, job_->overhead)); }

  Request begin_send(const SimgridMail::Key& key, std::uint64_t bytes, bool is_sync) {
    auto message = mail_->send(key, bytes, clock_now(), is_sync);
    if (all_->trace) all_->trace->sent(task_, key.to, bytes, clock_now());
    if (!mail_->waits(bytes, is_sync)) message = nullptr;
    return {.sent = std::move(message), .key = key, .bytes = bytes};
  }
  Request send(const Action& action, std::uint32_t to) {
    own_->messages += 1;
    own_->bytes += action.bytes;
    const bool is_answered = action.kind == ActionKind::send && action.has(Mark::answered);
    if (is_answered && !mail_->is_local(task_, to)) return send_to_server(action, to);
    return begin_send({task_, to, action.group, action.tag}, action.bytes, action.has(Mark::sync));
  }
  // A server accepts the message at once, with or without a receive.
  Request send_to_server(const Action& action, std::uint32_t to) {
    const SimgridMail::Key key{task_, to, action.group, action.tag};
    auto message = mail_->send_at_once(key, action.bytes, clock_now());
    if (all_->trace) all_->trace->sent(task_, to, action.bytes, clock_now());
    return {.sent = std::move(message), .key = key, .bytes = action.bytes, .is_answered = true};
  }
  Request receive(const Action& action) {
    const SimgridMail::Key key{action.peer, task_, action.group, action.tag};
    const bool is_partial = action.has(Mark::partial);
    return {.posted = is_partial ? nullptr : mail_->receive(key),
            .key = key,
            .bytes = action.bytes,
            .is_partial = is_partial,
            .receives = true};
  }

  void multicast(const Action& action) {
    const std::uint64_t before = own_->messages;
    for (const std::uint32_t to : program_->destinations[action.peer]) (void)send(action, to);
    const std::uint64_t sent = own_->messages - before;
    own_->messages = before + 1;
    own_->bytes -= (sent - 1) * action.bytes;
    overhead(action);
  }

  // --- waiting ---

  void wait(const Request& request) {
    waiting_->for_task = request.receives ? request.key.from : request.key.to;
    if (request.is_partial) {
      take(request);
    } else if (request.receives) {
      take(*request.posted);
    } else if (request.is_answered) {
      hear_of(*request.sent);
    } else if (request.sent) {
      see_off(*request.sent);
    }
  }

  // Takes bytes of messages as from a stream.
  void take(const Request& request) {
    while (mail_->rest(request.key) < request.bytes) {
      const auto posted = mail_->receive(request.key);
      take(*posted);
      mail_->rest(request.key) += posted->message->bytes;
    }
    mail_->rest(request.key) -= request.bytes;
  }

  // The actor that matches message and receive yields to others while it starts the transfer, so they may see
  // the message before the transfer has started.
  void take(Posted& posted) {
    const Picoseconds since = clock_now();
    while (!posted.message || !posted.message->comm) {
      posted.waits = s4u::Actor::self();
      s4u::this_actor::suspend();
    }
    Carried& message = *posted.message;
    message.comm->wait();
    const bool was_awaited = mail_->waits(message.bytes, message.is_sync);
    blocked(since, {message.from, message.began, was_awaited ? message.posted : 0, true});
    all_->bytes_received += message.bytes;
    all_->tasks[message.from].network.on_network += static_cast<Picoseconds>(
        std::llround((message.comm->get_finish_time() - message.comm->get_start_time()) * 1e12));
  }

  void see_off(Carried& message) {
    const Picoseconds since = clock_now();
    while (!message.comm) {
      message.waits = s4u::Actor::self();
      s4u::this_actor::suspend();
    }
    message.comm->wait();
    blocked(since, {message.to, message.posted, message.began, false});
  }

  void hear_of(const Carried& message) {
    const Picoseconds since = clock_now();
    message.comm->wait();
    mail_->answer(message);
    blocked(since, {message.to, 0, message.began, false});
  }

  void blocked(Picoseconds since, const SimulationTrace::Awaited& what) {
    const Picoseconds time = clock_now() - since;
    const Picoseconds algorithmic = std::clamp<Picoseconds>(what.partner_began - since, 0, time);
    own_->algorithmic += algorithmic;
    own_->service += time - algorithmic;
    blocked_ += time;
    if (all_->trace && time > 0) all_->trace->waited(task_, clock_now(), what);
  }

  // --- collective operations ---

  void group(const Action& action) {
    const auto& members = program_->groups[action.group].members;
    const auto rank = action.group == 0
                          ? task_
                          : static_cast<std::uint32_t>(std::ranges::find(members, task_) - members.begin());
    const GroupCall call{.operation = action.operation,
                         .members = static_cast<std::uint32_t>(members.size()),
                         .rank = rank,
                         .root = action.peer,
                         .bytes = action.bytes};
    for (std::uint32_t number = 0;; ++number) {
      const auto step = group_step(call, number);
      if (!step) break;
      perform(*step, members, action.group | of_collective_operations);
    }
    overhead(action);
  }

  void perform(const GroupStep& step, const std::vector<std::uint32_t>& members, std::uint32_t group) {
    Request received;
    if (step.from) {
      const SimgridMail::Key key{members[*step.from], task_, group, 0};
      received = {.posted = mail_->receive(key), .key = key, .bytes = step.bytes_received, .receives = true};
    }
    Request sent;
    if (step.to) {
      own_->messages += 1;
      own_->bytes += step.bytes_sent;
      sent = begin_send({task_, members[*step.to], group, 0}, step.bytes_sent, false);
    }
    if (step.from) wait(received);
    if (step.to) wait(sent);
  }

  std::uint32_t task_;
  const Program* program_;
  const SwitchedJob* job_;
  SimgridMail* mail_;
  Outcome* all_;
  TaskOutcome* own_;
  TaskRuns::Waiting* waiting_;
  std::vector<Request> requests_;
  Picoseconds blocked_{0};  // in the action
};

}  // namespace

SimgridTasks::SimgridTasks(const Program& program, const SwitchedJob& job,
                           const std::vector<s4u::Host*>& hosts)
    : program_(&program), job_(&job), hosts_(&hosts), mail_(hosts, job.rendezvous) {
  outcome_.tasks.resize(program.tasks.size());
  if (job.traces) outcome_.trace.emplace().waits.resize(program.tasks.size());
  if (job.traces && job.times) outcome_.trace->times.resize(program.tasks.size());
  for (TaskOutcome& task : outcome_.tasks) task.functions.resize(program.functions.size());
}

void SimgridTasks::run() {
  std::vector<TaskRuns::Waiting> states(program_->tasks.size());
  std::vector<bool> has_ended(states.size());
  for (std::uint32_t task = 0; task < states.size(); ++task) {
    states[task].task = task;
    s4u::Actor::create(std::to_string(task), (*hosts_)[task], [this, task, &states, &has_ended] {
      SimgridTask(task, *program_, *job_, mail_, outcome_, states[task]).run();
      has_ended[task] = true;
    });
  }
  s4u::Engine::get_instance()->run();
  for (std::uint32_t task = 0; task < states.size(); ++task) {
    if (!has_ended[task]) waiting_.push_back(states[task]);
  }
}

Outcome SimgridTasks::outcome() const {
  Outcome made = outcome_;
  for (const TaskOutcome& task : made.tasks) made.execution = std::max(made.execution, task.execution);
  for (const TaskRuns::Waiting& task : waiting_) made.tasks[task.task].execution = made.execution;
  made.bytes_sent = mail_.bytes();
  made.bytes_left = made.bytes_sent - made.bytes_received;
  made.stopped = static_cast<std::uint32_t>(waiting_.size());
  return made;
}

}  // namespace eventspace::whatif
