#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <thread>

#include <eventspace/error.h>
#include "monitors/cli/program.h"
#include "monitors/servers/child_process.h"
#include "monitors/servers/find_program.h"
#include "monitors/servers/process_handle.h"
#include "monitors/servers/serve.h"
#include "monitors/servers/server_files.h"
#include "monitors/servers/server_fleet.h"
#include "monitors/servers/server_probe.h"
#include "pathmaps/sessions/session_security.h"
#include "paths/security/key_file.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using Answer = ServerProbe::Answer;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

// Starts the server of one node. While it exists, it holds the lock of a server on this machine, so that no
// other process starts or stops that server.
class ServerStart {
 public:
  ServerStart(const ServerFleet& fleet, NodeIndex node, const ServerFiles& files)
      : fleet_(&fleet), node_(node), files_(&files) {
    outcome_.node = name();
    outcome_.endpoint = fleet.node(node).endpoint();
  }

  // Starts a server on this machine, unless it runs. Called before this process has a second thread, so that
  // it may fork.
  void begin_here(nanoseconds timeout) {
    timeout_ = timeout;
    if (fleet_->is_here(node_)) attempt([this] { begin_here_or_throw(); });
  }
  // Starts a server on another machine, unless it runs. Also sets the consumer for later checks of any
  // server. `keys`: the session's keys, or null.
  void begin_there(Consumer& consumer, const UsedKeys* keys) {
    consumer_ = &consumer;
    keys_ = keys;
    if (!fleet_->is_here(node_)) attempt([this] { begin_there_or_throw(); });
  }

  [[nodiscard]] bool decided() const noexcept { return decided_; }
  [[nodiscard]] const ServerOutcome& outcome() const noexcept { return outcome_; }

  // Checks the progress of the start once.
  void look() {
    attempt([this] { look_or_throw(); });
  }

  void fail(const std::string& why) {
    outcome_.state = ServerState::failed;
    outcome_.detail = why;
    decided_ = true;
  }
  void time_out() {
    if (answered_) return succeed(*answered_);
    fail(fmt::format("no answer from {} within {}s{}{}", outcome_.endpoint,
                     std::chrono::duration<double>(timeout_).count(), advice(), log()));
  }

  // Stops the server if this start started it.
  void undo() {
    if (!child_) return;
    child_here() ? undo_here() : undo_there();
    if (outcome_.state == ServerState::started) outcome_.state = ServerState::taken_back;
  }

 private:
  [[nodiscard]] const std::string& name() const { return fleet_->node(node_).name; }
  [[nodiscard]] bool child_here() const { return child_ && fleet_->is_here(node_); }

  template <class Action>
  void attempt(Action action) {
    try {
      action();
    } catch (const std::exception& error) {
      fail(error.what());
    }
  }

  void look_or_throw() {
    const auto ended = child_ ? child_->poll() : std::nullopt;
    if (ended && ended->is_fine() && !fleet_->is_in_reach(node_)) return believe();
    if (answered_ && !ended) return std::this_thread::sleep_for(10ms);
    // A server that failed at once may have found its port taken by another server, which gets more time to
    // answer.
    const bool may_be_another = ended && !ended->is_fine() && fleet_->is_here(node_);
    const ServerProbe probe = ask(may_be_another ? 1s : 100ms);
    if (ended && !ended->is_fine()) return conclude(*ended, probe);
    if (probe.answer == Answer::foreign) return fail(probe.who);
    // If a server of this session has the port but is not the child, the child is about to fail.
    if (probe.answer == Answer::ours && (!child_here() || probe.pid == child_->pid())) {
      // The `up` on the other machine holds the lock of its server until it has ended.
      if (ended || !child_ || child_here()) return succeed(probe.pid);
      answered_ = probe.pid;
    }
    if (ended && fleet_->is_here(node_)) fail("the server ended immediately" + log());
    if (!child_ && probe.answer == Answer::none) look_again();
  }

  // The server that ran when this start began does not answer. It may have been about to end.
  void look_again() {
    if (!fleet_->is_here(node_)) return start_there();
    if (!files_->find(name())) start_here();
  }

  // A server out of reach cannot answer, and another machine might have its address here.
  ServerProbe ask(nanoseconds time) {
    if (fleet_->is_here(node_)) return probe_server_here(*consumer_, node_, time);
    if (fleet_->is_in_reach(node_)) return probe_server(*consumer_, node_, time);
    std::this_thread::sleep_for(10ms);
    return {};
  }

  // Takes the success of the `up` on the other machine as the answer of the server. It printed "n1: started
  // (pid 17, ...)".
  void believe() {
    const std::string said = files_->log_tail(name());
    const std::size_t pid = said.find("(pid ");
    succeed(pid == std::string::npos ? 0 : std::atoi(said.c_str() + pid + 5));
  }

  // Only the `up` on the other machine knows whether the server ran before: a slow server did not answer this
  // process in time.
  [[nodiscard]] bool ran_there_already() const {
    if (!child_ || fleet_->is_here(node_)) return false;
    const std::string said = fmt::format("{}: {}", name(), to_string(ServerState::running));
    return files_->log_tail(name()).find(said) != std::string::npos;
  }

  void begin_here_or_throw() {
    lock_ = files_->lock(name(), timeout_);
    const auto running = files_->find(name());
    if (!running) return start_here();
    outcome_.pid = running->pid;
    outcome_.state = ServerState::running;
  }
  void start_here() {
    ChildSpec spec;
    spec.command = {own_program().string(), "serve", fleet_->pathmap.string(), "--node", name(), "--session",
                    fleet_->session};
    // Forked servers have their code at the same addresses, so a processor that runs several in turn predicts
    // the branches of each from the branches of the others.
    may_fork() ? fork(spec) : start(spec);
    files_->remember(name(), child_->pid());
  }

  void begin_there_or_throw() {
    const ServerProbe probe = ask(300ms);
    if (probe.answer != Answer::ours) return start_there();
    outcome_.state = ServerState::running;
    outcome_.pid = probe.pid;
  }
  void start_there() {
    ChildSpec spec;
    spec.command = fleet_->command_there(node_, "up", timeout_);
    if (keys_ != nullptr) {
      spec.command.emplace_back("--keys-on-input");
      spec.input = to_text(keys_->keys());
    }
    start(spec);
    overwrite(spec.input);
  }

  void start(ChildSpec& spec) {
    detach(spec);
    child_.emplace(ChildProcess::start(spec));
    outcome_.state = ServerState::started;
  }
  void fork(ChildSpec& spec) {
    detach(spec);
    child_.emplace(ChildProcess::fork(spec, [this] {
      return run_guarded([this] { return serve_node(fleet_->plan, node_, fleet_->session); });
    }));
    outcome_.state = ServerState::started;
  }
  void detach(ChildSpec& spec) const {
    spec.output = files_->log(name());
    spec.detached = true;
  }

  void succeed(std::int32_t pid) {
    if (ran_there_already()) outcome_.state = ServerState::running;
    outcome_.pid = pid;
    decided_ = true;
  }

  void conclude(ExitState ended, const ServerProbe& probe) {
    if (child_here()) files_->forget(name());
    if (probe.answer == Answer::ours && fleet_->is_here(node_)) {
      child_.reset();
      outcome_.state = ServerState::running;
      return succeed(probe.pid);
    }
    fail(probe.answer == Answer::foreign ? probe.who
                                         : fmt::format("{} {}{}", starter(), to_string(ended), log()));
  }

  [[nodiscard]] std::string advice() const {
    if (fleet_->is_here(node_) || fleet_->node(node_).port != 0) return {};
    return fmt::format("; without a `port`, node {} can be reached only from its own machine, {}", name(),
                       fleet_->node(node_).host);
  }

  [[nodiscard]] std::string_view starter() const {
    return fleet_->is_here(node_) ? "the server" : std::string_view(fleet_->node(node_).launch.front());
  }

  [[nodiscard]] std::string log() const {
    const std::string text = child_ ? files_->log_tail(name()) : "";
    return text.empty() ? "" : fmt::format("; {} ends with:\n{}", files_->log(name()).string(), text);
  }

  void undo_here() {
    child_->signal(SIGTERM);
    child_->wait_or_kill(fleet_->stop_patience);
    files_->forget(name());
  }

  // Waits for the launcher first. If only the launcher were killed, the `up` on the other machine would
  // continue and might start the server after the `down`.
  void undo_there() {
    child_->wait_or_kill(fleet_->stop_patience);
    if (ran_there_already()) {
      if (outcome_.state == ServerState::started) outcome_.state = ServerState::running;
      return;
    }
    ChildSpec spec;
    spec.command = fleet_->command_there(node_, "down", fleet_->stop_patience);
    spec.output = files_->log(name() + ".down");
    const ExitState ended =
        ChildProcess::start(spec).wait_or_kill(fleet_->stop_patience + fleet_->launch_grace);
    if (ended.is_fine() || outcome_.state == ServerState::failed) return;
    fail(fmt::format("started, but could not be stopped: {} {}", spec.command[0], to_string(ended)));
  }

  const ServerFleet* fleet_;
  NodeIndex node_;
  const ServerFiles* files_;
  nanoseconds timeout_{};
  Consumer* consumer_{nullptr};
  const UsedKeys* keys_{nullptr};
  FileHandle lock_;
  std::optional<ChildProcess> child_;
  ServerOutcome outcome_;
  std::optional<std::int32_t> answered_;  // pid of the server that answered, while its launcher runs
  bool decided_{false};
};

// Waits until each start is decided, one has failed, or the time is up.
void wait_for_all(std::vector<ServerStart>& starts, nanoseconds timeout,
                  const std::function<bool()>& given_up) {
  const auto until = steady_clock::now() + timeout;
  for (ServerStart& start : starts) {
    while (!start.decided()) {
      start.look();
      if (start.decided()) break;
      if (given_up()) return start.fail("interrupted");
      if (steady_clock::now() >= until) start.time_out();
    }
    if (start.outcome().state == ServerState::failed) return;
  }
}

std::vector<ServerOutcome> outcomes_of(const std::vector<ServerStart>& starts) {
  std::vector<ServerOutcome> outcomes;
  outcomes.reserve(starts.size());
  for (const ServerStart& start : starts) outcomes.push_back(start.outcome());
  return outcomes;
}

}  // namespace

std::vector<ServerOutcome> start_servers(const ServerFleet& fleet, nanoseconds timeout,
                                         const std::function<bool()>& given_up) {
  const ServerFiles files(fleet.session);
  std::vector<ServerStart> starts;
  for (const NodeIndex node : fleet.nodes) starts.emplace_back(fleet, node, files);
  const auto undo = [&starts] {
    for (ServerStart& start : starts) start.undo();
  };
  std::shared_ptr<const UsedKeys> keys;  // made before the servers, which find them
  if (needs_keys(*fleet.plan)) keys = use_session_keys(fleet.session);
  for (ServerStart& start : starts) start.begin_here(timeout);
  try {
    Consumer consumer(fleet.plan, fleet.session);
    for (ServerStart& start : starts) start.begin_there(consumer, keys.get());
    wait_for_all(starts, timeout, given_up);
  } catch (...) {
    undo();
    throw;
  }
  if (!all_run(outcomes_of(starts))) {
    undo();
  } else if (keys && !std::ranges::all_of(fleet.nodes, [&](NodeIndex node) { return fleet.is_here(node); })) {
    keep_session_keys(*keys);
  }
  return outcomes_of(starts);
}

}  // namespace eventspace
