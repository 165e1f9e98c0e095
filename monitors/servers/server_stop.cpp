#include <fmt/format.h>

#include <eventspace/error.h>
#include "monitors/servers/child_process.h"
#include "monitors/servers/process_handle.h"
#include "monitors/servers/server_files.h"
#include "monitors/servers/server_fleet.h"
#include "paths/security/key_file.h"
#include "tuplespace/processes/process_origin.h"
#include "tuplespace/sockets/session_socket.h"

namespace eventspace {
namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

// Stops the server of one node.
class ServerStop {
 public:
  ServerStop(const ServerFleet& fleet, NodeIndex node, const ServerFiles& files)
      : fleet_(&fleet), node_(node), files_(&files) {
    outcome_.node = name();
    outcome_.endpoint = fleet.node(node).endpoint();
    outcome_.state = ServerState::not_running;
  }

  void begin(nanoseconds patience) {
    try {
      fleet_->is_here(node_) ? begin_here(patience) : begin_there(patience);
    } catch (const Error& error) {
      outcome_.state = ServerState::failed;
      outcome_.detail = error.what();
    }
  }

  [[nodiscard]] const ProcessHandle* process() const noexcept { return process_ ? &*process_ : nullptr; }

  void finish(steady_clock::time_point until) {
    if (outcome_.state == ServerState::failed) return;  // the server may run: keep its file
    if (process_) outcome_.state = ServerState::stopped;
    if (lock_.valid()) files_->forget(name());
    if (launcher_) conclude(launcher_->wait_or_kill(until - steady_clock::now()));
  }

  [[nodiscard]] const ServerOutcome& outcome() const noexcept { return outcome_; }

 private:
  [[nodiscard]] const std::string& name() const { return fleet_->node(node_).name; }

  void begin_here(nanoseconds patience) {
    lock_ = files_->lock(name(), patience);
    const auto found = files_->find(name());
    if (!found) return require_no_server_elsewhere();
    process_ = ProcessHandle::open(found->pid, found->start_ticks);
    outcome_.pid = found->pid;
  }

  // Its ids mean nothing here, so no signal can be sent to it.
  void require_no_server_elsewhere() const {
    const SessionSocket socket(fleet_->session, outcome_.endpoint);
    const auto holder = socket.is_taken() ? socket.holder() : std::nullopt;
    if (!holder || is_same_pid_namespace(holder->origin, own_origin())) return;
    throw EnvironmentError(fmt::format(
        "it is process {} in another PID namespace, such as a container; stop it there", holder->pid));
  }

  void begin_there(nanoseconds patience) {
    ChildSpec spec;
    spec.command = fleet_->command_there(node_, "down", patience);
    spec.output = files_->log(name() + ".down");
    launcher_.emplace(ChildProcess::start(spec));
  }

  void conclude(ExitState ended) {
    const std::string said = files_->log_tail(name() + ".down");
    outcome_.state = ServerState::failed;
    outcome_.detail = fmt::format("{} {}: {}", fleet_->node(node_).launch.front(), to_string(ended), said);
    if (!ended.is_fine()) return;
    const bool was_running = said.find(to_string(ServerState::not_running)) == std::string::npos;
    outcome_.state = was_running ? ServerState::stopped : ServerState::not_running;
    outcome_.detail.clear();
  }

  const ServerFleet* fleet_;
  NodeIndex node_;
  const ServerFiles* files_;
  FileHandle lock_;
  std::optional<ProcessHandle> process_;
  std::optional<ChildProcess> launcher_;
  ServerOutcome outcome_;
};

}  // namespace

std::vector<ServerOutcome> stop_servers(const ServerFleet& fleet, nanoseconds patience) {
  const ServerFiles files(fleet.session);
  // A `down` on another machine may wait three times: for the lock, for the server's orderly end, and for its
  // end when it is killed.
  const auto until = steady_clock::now() + 3 * patience + fleet.launch_grace;
  std::vector<ServerStop> stops;
  for (const NodeIndex node : fleet.nodes) stops.emplace_back(fleet, node, files);
  std::vector<const ProcessHandle*> processes;
  for (ServerStop& stop : stops) {
    stop.begin(patience);
    if (stop.process() != nullptr) processes.push_back(stop.process());
  }
  end_processes(processes, patience);
  std::vector<ServerOutcome> outcomes;
  for (ServerStop& stop : stops) {
    stop.finish(until);
    outcomes.push_back(stop.outcome());
  }
  if (!fleet.all_here) close_observers_port(fleet.session, patience);
  release_session_keys(fleet.session);
  return outcomes;
}

bool close_observers_port(const std::string& session, std::chrono::nanoseconds patience) {
  const ServerFiles files(session);
  const FileHandle lock = files.lock(observers_port_name, patience);
  const auto found = files.find(observers_port_name);
  if (!found) return false;
  const auto process = ProcessHandle::open(found->pid, found->start_ticks);
  if (process) end_processes({&*process}, patience);
  files.forget(observers_port_name);
  return true;
}

}  // namespace eventspace
