#include "pathmaps/sessions/session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdlib>

#include "pathmaps/pathmap.h"
#include "pathmaps/sessions/path_target.h"
#include "pathmaps/sessions/session_host.h"
#include "pathmaps/sessions/session_probes.h"
#include "tuplespace/system/error.h"
#include "tuplespace/system/forked_copy.h"

namespace eventspace {
namespace {

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

ProcessIndex find_own_process(const Plan& plan, std::string name) {
  if (name.empty()) name = environment("EVENTSPACE_PROCESS");
  if (name.empty() && plan.processes.size() == 1) return ProcessIndex(0);
  std::vector<std::string> known;
  for (const ProcessPlan& process : plan.processes) known.push_back(process.name);
  if (name.empty()) {
    throw ConfigurationError(
        fmt::format("which process of pathmap {} is this? It has {}; start it with `eventspace run`, or set "
                    "EVENTSPACE_PROCESS",
                    plan.name, fmt::join(known, ", ")));
  }
  if (const auto found = plan.find_process(name)) return *found;
  throw ConfigurationError(
      fmt::format("pathmap {} has no process '{}'; it has {}", plan.name, name, fmt::join(known, ", ")));
}

bool shall_collect(const Plan& plan, const std::optional<bool>& asked) {
  if (asked) return *asked;
  return plan.collect && environment("EVENTSPACE_COLLECT") != "0";
}

}  // namespace

std::string session_name(const Plan& plan, const std::string& given) {
  if (!given.empty()) return given;
  const std::string from_environment = environment("EVENTSPACE_SESSION");
  return from_environment.empty() ? plan.name : from_environment;
}

// --- Session ----------------------------------------------------------------------------------------

struct Session::State {
  State(const std::shared_ptr<const Plan>& plan, ProcessIndex index, const Options& options)
      : process(index),
        network(network_limits(plan->limits), options.when_lost),
        host(plan, index, session_name(*plan, options.name), shall_collect(*plan, options.collect),
             &network) {
    if (Segment* const segment = host.segment()) {
      probes = std::make_shared<SessionProbes>(
          *segment,
          SessionProbes::Config{plan->processes[index].name, index.number32(), host.collect_switch(), this});
      set_probe_host(probes);
    }
    const ProcessPlan& planned = plan->processes[index];
    if (planned.endpoint.empty()) return;
    Server::Config config{planned.endpoint,
                          "process " + planned.name,
                          host.session(),
                          plan->fingerprint,
                          {{path_target, host.path_targets()}},
                          host.endpoints()};
    server = std::make_unique<Server>(network, std::move(config));
    server->start();
  }

  ~State() {
    if (probes) remove_probe_host(*probes);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  ProcessIndex process;
  pid_t owner{::getpid()};
  Network network;
  SessionHost host;
  std::shared_ptr<SessionProbes> probes;  // null if the session does not collect
  std::unique_ptr<Server> server;  // after `host` and `network`: destroyed before them, as it uses both
  std::mutex mutex;                // guards threads
  std::map<std::string, std::unique_ptr<SessionThread>, std::less<>> threads;
};

struct SessionThread::State {
  State(Session::State& in_session, ThreadIndex thread_number, std::string thread_name)
      : session(&in_session),
        number(thread_number),
        name(std::move(thread_name)),
        links(in_session.network),
        recorded(std::make_shared<SwitchedThread>(in_session.host.collect_switch())) {
    for (const PathIndex i : plan().paths.indices()) {
      if (plan().paths[i].thread == number) planned.emplace(plan().paths[i].name, i);
    }
  }

  Session::State* session;
  ThreadIndex number;
  std::string name;
  // The kernel's id: that of pthreads is soon that of another thread when this one has ended.
  pid_t owner{::gettid()};
  LinkPool links;
  std::shared_ptr<SwitchedThread> recorded;  // shared with the thread's probes
  std::map<std::string, Path, std::less<>> paths;
  std::map<std::string_view, PathIndex> planned;  // the thread's paths in the plan, by name

  [[nodiscard]] const Plan& plan() const { return session->host.plan(); }

  PathIndex find_path(std::string_view wanted) const {
    if (const auto found = planned.find(wanted); found != planned.end()) return found->second;
    std::vector<std::string_view> known;
    for (const auto& [path, index] : planned) known.push_back(path);
    throw ConfigurationError(
        fmt::format("thread {} has no path '{}'; it has {}", name, wanted, fmt::join(known, ", ")));
  }

  std::unique_ptr<Stage> make_path(PathIndex path) {
    const Network& network = session->network;
    return session->host.paths().make(
        path, {&links, &recorded->thread, network.limits().answer_grace, network.when_lost()});
  }
};

Session::Session(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
Session::~Session() {
  if (state_ && state_->owner != ::getpid()) leave_to_parent(state_);
}
Session::Session(Session&& other) noexcept = default;

Session Session::join(const std::filesystem::path& pathmap, const std::string& process,
                      const Options& options) {
  // The application must not run the code of the monitors' shared objects (LoadOptions::for_scopes).
  return join(std::make_shared<const Plan>(require_plan(pathmap, {.for_scopes = false})), process, options);
}

Session Session::join(const std::shared_ptr<const Plan>& plan, const std::string& process,
                      const Options& options) {
  const ProcessIndex index = find_own_process(*plan, process);
  return Session(std::make_unique<State>(plan, index, options));
}

Session Session::from_environment() {
  const std::string pathmap = environment("EVENTSPACE_PATHMAP");
  if (pathmap.empty()) {
    throw ConfigurationError(
        "EVENTSPACE_PATHMAP is not set; start the application with `eventspace run PATHMAP`");
  }
  return join(pathmap);
}

const Plan& Session::plan() const noexcept { return state_->host.plan(); }
const std::string& Session::name() const noexcept { return state_->host.session(); }
const std::string& Session::process() const noexcept { return plan().processes[state_->process].name; }

std::vector<std::string> Session::threads() const {
  std::vector<std::string> names;
  for (const ThreadPlan& thread : plan().threads) {
    if (thread.is_thread_of(state_->process)) names.push_back(thread.name);
  }
  return names;
}

SessionThread& Session::thread(std::string_view name) {
  const std::lock_guard lock(state_->mutex);
  if (const auto found = state_->threads.find(name); found != state_->threads.end()) {
    const pid_t owner = found->second->state_->owner;
    if (owner == ::gettid()) return *found->second;
    throw ConfigurationError(
        fmt::format("thread {} is in use by another thread of this process already, which has id {}; a "
                    "thread of the pathmap is one thread until its session ends",
                    name, owner));
  }
  const auto number = plan().find_thread(name);
  if (!number || !plan().threads[*number].is_thread_of(state_->process)) {
    throw ConfigurationError(fmt::format("pathmap {} places no thread '{}' in process {}; it places {}",
                                         plan().name, name, process(), fmt::join(threads(), ", ")));
  }
  if (const auto slot = state_->host.thread_in_segment(*number)) {
    state_->host.segment()->bind_thread(*slot, static_cast<std::int32_t>(::gettid()));
  }
  auto state = std::make_unique<SessionThread::State>(*state_, *number, std::string(name));
  set_probing_thread(state_.get(), number->number32(), state->recorded);
  const auto added = state_->threads.emplace(name, new SessionThread(std::move(state))).first;
  return *added->second;
}

void Session::set_collecting(bool on) noexcept { state_->host.collect_switch()->set_by_program(on); }
std::uint64_t Session::events_recorded() const { return state_->host.events_recorded(); }
std::uint64_t Session::events_discarded() const { return state_->host.events_discarded(); }
void Session::close() {
  state_->host.close();
  state_->network.close();
}

// --- SessionThread ----------------------------------------------------------------------------------

SessionThread::SessionThread(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
SessionThread::~SessionThread() = default;

const std::string& SessionThread::name() const noexcept { return state_->name; }

Path& SessionThread::path(std::string_view name) {
  if (const auto found = state_->paths.find(name); found != state_->paths.end()) return found->second;
  const PathIndex index = state_->find_path(name);
  Path path(std::string(name), state_->make_path(index));
  return state_->paths.emplace(name, std::move(path)).first->second;
}

void SessionThread::set_virtual_time(std::uint64_t value) noexcept {
  state_->recorded->thread.virtual_time = value;
}

}  // namespace eventspace
