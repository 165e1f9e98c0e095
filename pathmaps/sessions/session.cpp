#include <eventspace/session.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include <eventspace/error.h>
#include <eventspace/stage.h>
#include "pathmaps/hosting/path_target.h"
#include "pathmaps/hosting/session_host.h"
#include "pathmaps/pathmap.h"
#include "pathmaps/plan/session_plan.h"
#include "pathmaps/sessions/local_id_pool.h"
#include "pathmaps/sessions/open_paths.h"
#include "pathmaps/sessions/own_process.h"
#include "pathmaps/sessions/session_probes.h"
#include "pathmaps/sessions/session_security.h"
#include "paths/bodies/element_states.h"
#include "paths/links/local_endpoint.h"
#include "paths/links/network.h"
#include "tuplespace/sockets/session_socket.h"
#include "tuplespace/system/forked_copy.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

ProcessIndex find_own_process(const Plan& plan, std::string name) {
  if (name.empty()) name = environment("EVENTSPACE_PROCESS");
  if (name.empty() && plan.processes.size() == 1) return ProcessIndex(0);
  std::vector<std::string> known;
  for (const ProcessPlan& process : plan.processes) known.push_back(process.name);
  if (name.empty()) {
    throw ConfigurationError(
        fmt::format("pathmap {} has several processes: {}; start this process with `eventspace run`, or set "
                    "EVENTSPACE_PROCESS",
                    plan.name, fmt::join(known, ", ")));
  }
  if (const auto found = plan.find_process(name)) return *found;
  throw ConfigurationError(
      fmt::format("pathmap {} has no process '{}'; it has {}", plan.name, name, fmt::join(known, ", ")));
}

std::uint64_t next_session_id() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

ElementConfig open_element(std::string_view name) {
  ElementConfig element;
  element.name = name;
  element.adopts_signature = true;
  return element;
}

// The name of the local socket, if the process has a server there.
std::optional<SessionSocket::Taken> take(const Plan& plan, ProcessIndex process, const std::string& session) {
  const ProcessPlan& planned = plan.processes[process];
  if (!is_local_endpoint(planned.endpoint)) return std::nullopt;
  return SessionSocket(session, planned.endpoint)
      .require(fmt::format("process {} of session {}", planned.name, session));
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
        taken(take(*plan, index, session_name(*plan, options.name))),
        network(network_limits(plan->limits), options.when_lost, NodeClock(),
                session_name(*plan, options.name), security_of(*plan, session_name(*plan, options.name))),
        host(plan, index, session_name(*plan, options.name), shall_collect(*plan, options.collect), &network),
        local_ids(std::make_shared<LocalIdPool>(plan->has_pathmap ? index.number32() : dynamic_process)) {
    if (Segment* const segment = host.segment()) {
      probes = std::make_shared<SessionProbes>(
          *segment, SessionProbes::Config{plan->processes[index].name, local_ids, host.collect_switch(), id});
      set_probe_host(probes);
    }
    open_paths.emplace(OpenPaths::Config{host.session(), plan->processes[index].name, host.segment(),
                                         probes ? &probes->traces() : nullptr, local_ids});
    const ProcessPlan& planned = plan->processes[index];
    if (planned.endpoint.empty()) return;
    Server::Config config{
        planned.endpoint,
        "process " + planned.name,
        host.session(),
        plan->fingerprint,
        {{path_target, host.path_targets()}, {element_states_target, host.element_states_targets(false)}},
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
  // Threads keep it longer than the session lives, when another session may have its address.
  std::uint64_t id{next_session_id()};
  std::optional<SessionSocket::Taken> taken;  // before the network, which closes its sockets first
  Network network;
  SessionHost host;
  std::shared_ptr<LocalIdPool> local_ids;
  std::shared_ptr<SessionProbes> probes;  // null if the session does not collect
  std::optional<OpenPaths> open_paths;    // set by the constructor
  std::unique_ptr<Server> server;  // after `host` and `network`: destroyed before them, as it uses both
  std::mutex mutex;                // guards threads
  std::map<std::string, std::unique_ptr<SessionThread>, std::less<>> threads;

  // Call with the mutex held.
  SessionThread& make_thread(std::optional<ThreadIndex> number, std::string_view name);
  SessionThread& add_thread(std::string_view name);
  [[nodiscard]] std::optional<ThreadIndex> register_thread(std::string_view name);
};

struct SessionThread::State {
  State(Session::State& in_session, std::optional<ThreadIndex> thread_number, std::string thread_name)
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
  std::optional<ThreadIndex> number;  // nullopt in a session without a pathmap whose segment is full
  std::string name;
  // The kernel's id, because the id of pthreads is soon reused when a thread has ended.
  pid_t owner{::gettid()};
  LinkPool links;
  std::shared_ptr<SwitchedThread> recorded;                    // shared with the thread's probes
  std::vector<std::shared_ptr<const void>> trace_elements;     // of the paths that the process describes
  std::map<std::string, std::size_t, std::less<>> own_traces;  // the trace elements of recorded paths
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

  std::unique_ptr<Stage> make_open_path(std::string_view path, const ElementConfig& element) {
    std::optional<std::uint32_t> local_id;
    if (number) local_id = number->number32();
    auto made = session->open_paths->make(path, element, {local_id, &links, &recorded->thread});
    trace_elements.push_back(std::move(made.hold));
    if (made.trace) own_traces.emplace(path, *made.trace);
    return std::move(made.first);
  }

  std::unique_ptr<Stage> make_path(PathIndex path) {
    const Network& network = session->network;
    return session->host.paths().make(
        path, {&links, &recorded->thread, network.limits().answer_grace, network.when_lost()});
  }
};

SessionThread& Session::State::make_thread(std::optional<ThreadIndex> number, std::string_view name) {
  auto state = std::make_unique<SessionThread::State>(*this, number, std::string(name));
  if (number) set_probing_thread(id, number->number32(), state->recorded);
  return *threads.emplace(name, new SessionThread(std::move(state))).first->second;
}

SessionThread& Session::State::add_thread(std::string_view name) {
  constexpr std::size_t longest = 255;
  require_plain_name("a thread", name, longest);
  return make_thread(register_thread(name), name);
}

// Name first: a reader that finds the thread has its name.
std::optional<ThreadIndex> Session::State::register_thread(std::string_view name) {
  Segment* const segment = host.segment();
  const auto tid = static_cast<std::uint32_t>(::gettid());
  const auto number = local_ids->take(tid);
  if (segment != nullptr && !number) segment->count_unrecorded();
  if (segment == nullptr || !number) return std::nullopt;
  const bool is_named = segment->add_name({static_cast<std::uint16_t>(OwnNameOf::thread), *number,
                                           fmt::format("{}/{}", host.plan().processes[process].name, name)});
  if (!is_named || !segment->add_thread(*number, static_cast<std::int32_t>(tid))) return std::nullopt;
  return ThreadIndex(*number);
}

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
  if (!pathmap.empty()) return join(pathmap);
  const std::string name = environment("EVENTSPACE_SESSION");
  if (!name.empty()) return open(name);
  throw ConfigurationError(
      "neither EVENTSPACE_PATHMAP nor EVENTSPACE_SESSION is set; start the application with `eventspace "
      "run`");
}

Session Session::open(const std::string& name, const OpenOptions& options) {
  require_not_joined_by_preloaded_library(name);
  std::string process = options.process.empty() ? environment("EVENTSPACE_PROCESS") : options.process;
  if (process.empty()) process = own_process_name();
  std::optional<JobMember> member;
  if (options.rank) member = JobMember{options.job, *options.rank};
  if (member && !member->is_sound())
    throw ConfigurationError(fmt::format("rank {} of job {}: out of range", member->rank, member->job));
  const auto plan =
      plan_of_dynamic_process(name, options.node.empty() ? own_node_name() : options.node, process, member);
  return Session(std::make_unique<State>(plan, ProcessIndex(0), Options{name, options.collect}));
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
        fmt::format("thread {} is already in use by another thread of this process, with id {}; a name "
                    "belongs to one thread until its session ends",
                    name, owner));
  }
  if (!plan().has_pathmap) return state_->add_thread(name);
  const auto number = plan().find_thread(name);
  if (!number || !plan().threads[*number].is_thread_of(state_->process)) {
    throw ConfigurationError(fmt::format("pathmap {} places no thread '{}' in process {}; it places {}",
                                         plan().name, name, process(), fmt::join(threads(), ", ")));
  }
  if (const auto slot = state_->host.thread_in_segment(*number)) {
    state_->host.segment()->bind_thread(*slot, static_cast<std::int32_t>(::gettid()));
  }
  return state_->make_thread(*number, name);
}

void Session::set_collecting(bool on) noexcept { state_->host.collect_switch()->set_by_program(on); }
std::uint64_t Session::events_recorded() const { return state_->host.events_recorded(); }
std::uint64_t Session::events_discarded() const { return state_->host.events_discarded(); }
void Session::empty_traces() noexcept { state_->host.empty_all(); }
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
  if (!state_->plan().has_pathmap) return path(name, open_element(name));
  const PathIndex index = state_->find_path(name);
  Path path(std::string(name), state_->make_path(index));
  return state_->paths.emplace(name, std::move(path)).first->second;
}

Path& SessionThread::path(std::string_view name, const ElementConfig& element) {
  if (state_->plan().has_pathmap) {
    throw ConfigurationError(fmt::format(
        "thread {}, path {}: the session has a pathmap, which describes its elements", state_->name, name));
  }
  if (const auto found = state_->paths.find(name); found != state_->paths.end()) return found->second;
  Path path(std::string(name), state_->make_open_path(name, element));
  return state_->paths.emplace(name, std::move(path)).first->second;
}

void SessionThread::empty_traces() noexcept {
  SessionHost& host = state_->session->host;
  if (state_->number) host.empty_thread(*state_->number);
  // In spare trace elements, which do not belong to a thread.
  for (const auto& [path, trace] : state_->own_traces) host.segment()->empty(trace);
  if (const auto trace = trace_of_probes(state_->session->id)) host.segment()->empty(*trace);
}

void SessionThread::empty_traces(std::string_view path) {
  SessionHost& host = state_->session->host;
  if (state_->plan().has_pathmap) return host.empty_path(state_->find_path(path));
  if (!state_->paths.contains(path))
    throw ConfigurationError(fmt::format("thread {} has no path '{}' yet", state_->name, path));
  if (const auto own = state_->own_traces.find(path); own != state_->own_traces.end())
    host.segment()->empty(own->second);
}

void SessionThread::set_virtual_time(std::uint64_t value) noexcept {
  state_->recorded->thread.virtual_time = value;
  state_->recorded->thread.has_virtual_time = true;
}

}  // namespace eventspace
