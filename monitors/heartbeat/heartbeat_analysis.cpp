#include "monitors/heartbeat/heartbeat_analysis.h"

#include <algorithm>

#include "collectors/mpi/mpi_record.h"
#include "collectors/pvm/pvm_record.h"
#include "collectors/switching/switch_order.h"
#include "monitors/collectives/collective_plan.h"
#include "monitors/heartbeat/scope_threads.h"
#include "pathmaps/plan/match.h"
#include "pathmaps/plan/plan_names.h"
#include "scopes/tree/local_ids.h"
#include "tuplespace/system/saturating.h"

namespace eventspace {

using std::chrono::nanoseconds;

VerdictWords words_of(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::running:
      return {"running", "running"};
    case Verdict::not_started:
      return {"not started", "not begun"};
    case Verdict::ended:
      return {"ended", "ended"};
    case Verdict::not_collected:
      return {"not collected", "off"};
    case Verdict::waiting:
      return {"waiting in call", "waiting"};
    case Verdict::apart:
      return {"outside calls", "outside"};
    case Verdict::stuck:
      return {"stuck in operation", "stuck"};
    case Verdict::computing:
      return {"computing", "computing"};
    case Verdict::blocked:
      return {"blocked outside operations", "blocked"};
    case Verdict::silent:
      return {"silent, state unknown", "silent"};
    case Verdict::stopped:
      return {"process stopped", "stopped"};
    case Verdict::dead:
      return {"process dead", "dead"};
    case Verdict::unreachable:
      return {"unreachable", "no answer"};
  }
  return {"?", "?"};
}

bool is_stalled(Verdict verdict) noexcept { return verdict >= Verdict::stuck; }

bool HealthReport::has_ended() const noexcept {
  const auto has_ended = [](const ThreadHealth& health) { return health.verdict == Verdict::ended; };
  return stalled == 0 && !job.is_stalled() && (!threads.empty() || gone_processes > 0) &&
         std::ranges::all_of(threads, has_ended);
}

namespace {

bool waits_for_others(const EventRecord& event) noexcept {
  return event.is_operation() || event.kind == mpi_kind || event.kind == pvm_kind;
}

bool is_in_other_namespace(RunState state) noexcept {
  return state == RunState::hidden || state == RunState::unknown;
}

std::string why_unknown(RunState state) {
  constexpr std::string_view where = "its process is in another PID namespace, such as a container: ";
  return std::string(where) + (state == RunState::hidden
                                   ? "it is alive, but it is unknown whether it is stopped"
                                   : "it is unknown whether it is alive");
}

// The latest report of each process: a process that was restarted while the view was made has two.
class LatestReports {
 public:
  explicit LatestReports(const View& view) {
    for (const ProcessReport& report : view.processes) {
      const ProcessReport*& latest = latest_[report.process];
      if (latest == nullptr || report.start_ticks > latest->start_ticks) latest = &report;
    }
  }

  // Null if the view does not report the process.
  [[nodiscard]] const ProcessReport* of(std::uint32_t process) const {
    const auto found = latest_.find(process);
    return found == latest_.end() ? nullptr : found->second;
  }
  // The process in whose segment `record` was. It may differ from the thread's process, because the event
  // collector may be at the element.
  [[nodiscard]] const ProcessReport* recorder_of(const EventRecord& record, const Plan& plan) const {
    if (is_local_id(record.path)) return of(process_of_local_id(record.path));
    const PathIndex path(record.path);
    if (!plan.paths.has(path)) return nullptr;
    const auto trace = plan.trace_at(path, static_cast<CollectPoint>(record.point));
    return trace ? of(number_of_process(plan, plan.traces[*trace].host)) : nullptr;
  }
  template <class Act>
  void for_each_thread(Act act) const {
    for (const auto& [number, process] : latest_) {
      for (const ThreadReport& thread : process->threads) act(thread);
    }
  }

 private:
  std::unordered_map<std::uint32_t, const ProcessReport*> latest_;
};

// The entry for a thread in the list of missing parts of a view that does not report its process.
struct Unseen {
  const Missing* cause{nullptr};  // null if nothing is missing
  bool is_certain{false};         // the entry names the process or its node
};

// The missing server (or its gateway) of a process without a plan; null if it has answered.
const Missing* find_missing_server(const Plan& plan, std::uint32_t process, const View& view) {
  const auto node = node_of_dynamic(plan, process);
  if (!node) return nullptr;
  std::set<std::string> on_the_way{plan.nodes[*node].name};
  if (const auto cluster = plan.nodes[*node].cluster; cluster && plan.clusters[*cluster].gateway)
    on_the_way.insert(plan.nodes[*plan.clusters[*cluster].gateway].name);
  const auto hides_it = [&](const Missing& missing) {
    return on_the_way.contains(missing.node) && !missing.what.starts_with("process");
  };
  const auto found = std::ranges::find_if(view.missing, hides_it);
  return found == view.missing.end() ? nullptr : &*found;
}

Unseen find_missing(const Plan& plan, std::uint32_t thread, const View& view) {
  if (is_local_id(thread)) return {find_missing_server(plan, process_of_local_id(thread), view), true};
  const Host host = plan.threads[ThreadIndex(thread)].host();
  const std::string& node = plan.nodes[plan.node_of(host)].name;
  const std::string process = match(
      host, [&](const ProcessIndex& index) { return "process " + plan.processes[index].name; },
      [&](const NodeIndex&) { return "server of node " + node; });
  const auto about = [&](const Missing& missing) {
    const bool process_itself = missing.what == process;
    return process_itself || (missing.node == node && !missing.what.starts_with("process "));
  };
  const auto found = std::ranges::find_if(view.missing, about);
  if (found != view.missing.end()) return {&*found, true};
  return {view.missing.empty() ? nullptr : &view.missing.front()};  // a missing gateway may hide it
}

ThreadHealth judge_unseen(std::uint32_t thread, const Missing* cause) {
  ThreadHealth health;
  health.thread = thread;
  if (cause == nullptr || cause->cause == MissingCause::no_segment) return health;
  health.verdict = Verdict::unreachable;
  health.detail =
      cause->what + ": " + (cause->detail.empty() ? std::string(to_string(cause->cause)) : cause->detail);
  return health;
}

constexpr std::uint32_t no_process = ~std::uint32_t{0};

std::set<TraceIndex> traces_of(const Plan& plan, const std::vector<std::uint32_t>& threads) {
  std::set<TraceIndex> traces;
  for (const PathPlan& path : plan.paths) {
    if (std::ranges::find(threads, path.thread.number32()) != threads.end())
      traces.insert(path.traces.begin(), path.traces.end());
  }
  return traces;
}

}  // namespace

// A record and its age at the pull, both by the clock of the process that recorded it.
struct HeartbeatAnalysis::Dated {
  EventRecord record;
  const ProcessReport* recorder;
  nanoseconds signed_age;

  Dated(const EventRecord& of, const ProcessReport& by)
      : record(of),
        recorder(&by),
        signed_age(saturating::round(by.clock.ns_between(of.in_flight() ? of.start : of.end, by.now_ticks))) {
  }

  // Returns nullopt if the record is later than the pull, because its clock has since jumped back. The
  // tolerance is for clocks that nearly agree, such as the counters of two processors.
  [[nodiscard]] std::optional<nanoseconds> age() const {
    constexpr nanoseconds tolerance = std::chrono::seconds(1);
    if (signed_age < -tolerance) return std::nullopt;
    return std::max(signed_age, nanoseconds(0));
  }
  // A record from before the clock jumped back is older than a record made since.
  [[nodiscard]] bool is_newer_than(const Dated& other) const {
    if (age().has_value() != other.age().has_value()) return age().has_value();
    return signed_age < other.signed_age;
  }
};

// The records and reports of one thread in one view.
struct HeartbeatAnalysis::Evidence {
  const ProcessReport* process{nullptr};
  const ThreadReport* kernel{nullptr};
  std::optional<Dated> last;
  std::optional<Dated> in_flight;

  void add(const Dated& dated) {
    std::optional<Dated>& newest = dated.record.in_flight() ? in_flight : last;
    if (!newest || dated.is_newer_than(*newest)) newest = dated;
  }
  // The newest record, ended or not; null if there is none.
  [[nodiscard]] const Dated* newest() const {
    if (!in_flight) return last ? &*last : nullptr;
    return last && last->is_newer_than(*in_flight) ? &*last : &*in_flight;
  }
};

HeartbeatAnalysis::HeartbeatAnalysis(const Plan& plan, const ScopeTree& tree, nanoseconds stall_after)
    : HeartbeatAnalysis(plan, threads_read_by(tree, plan), traces_read_by(tree), stall_after) {}

HeartbeatAnalysis::HeartbeatAnalysis(const Plan& plan, const std::vector<std::uint32_t>& watched,
                                     nanoseconds stall_after)
    : HeartbeatAnalysis(plan, watched, traces_of(plan, watched), stall_after) {}

HeartbeatAnalysis::HeartbeatAnalysis(const Plan& plan, std::vector<std::uint32_t> watched,
                                     const std::set<TraceIndex>& traces, nanoseconds stall_after)
    : plan_(&plan), watched_(std::move(watched)), stall_after_(stall_after), attendance_(plan, traces) {}

HealthReport HeartbeatAnalysis::observe(const View& view, Time at) {
  const LatestReports processes(view);
  std::unordered_map<std::uint32_t, Evidence> evidence;
  for (const TraceTuple& tuple : view.records) {
    const EventRecord record = decode(tuple);
    if (record.is_continuation()) continue;
    // Without the clock of its recorder, the age of a record is not known.
    if (const ProcessReport* const recorder = processes.recorder_of(record, *plan_))
      evidence[record.thread].add({record, *recorder});
  }
  processes.for_each_thread([&](const ThreadReport& kernel) { evidence[kernel.thread].kernel = &kernel; });
  follow_dynamic(view);
  count_gone(view);
  HealthReport report;
  report.gone_processes = gone_;
  const auto judge_one = [&](std::uint32_t thread) {
    Evidence& known = evidence[thread];
    known.process = processes.of(process_of_thread(*plan_, thread).value_or(no_process));
    report.threads.push_back(judge(thread, known, view, at));
    report.stalled += is_stalled(report.threads.back().verdict) ? 1 : 0;
  };
  std::ranges::for_each(watched_, judge_one);
  std::ranges::for_each(dynamic_, judge_one);
  attendance_.observe(view);
  report.element_waits = find_element_waits(*plan_, view, report.threads);
  report.culprits = find_culprits(*plan_, attendance_, report.element_waits, report.threads);
  return report;
}

// A process that is missing from a view although its server has answered has ended.
void HeartbeatAnalysis::follow_dynamic(const View& view) {
  std::set<std::uint32_t> reported;
  for (const ProcessReport& process : view.processes) {
    if (host_of_number(*plan_, process.process)) continue;
    reported.insert(process.process);
    for (const ThreadReport& thread : process.threads) {
      if (process_of_thread(*plan_, thread.thread) == process.process) dynamic_.insert(thread.thread);
    }
  }
  std::erase_if(dynamic_, [&](std::uint32_t thread) {
    const std::uint32_t process = process_of_local_id(thread);
    const bool is_over = !reported.contains(process) && find_missing_server(*plan_, process, view) == nullptr;
    if (is_over) memory_.erase(thread);
    return is_over;
  });
}

// The number of remembered processes is bounded by the number of processes that run at once.
void HeartbeatAnalysis::count_gone(const View& view) {
  std::set<std::uint32_t> reported;
  for (const ProcessReport& process : view.processes)
    if (!host_of_number(*plan_, process.process)) reported.insert(process.process);
  gone_ += std::erase_if(seen_, [&](std::uint32_t process) {
    return !reported.contains(process) && find_missing_server(*plan_, process, view) == nullptr;
  });
  seen_.insert(reported.begin(), reported.end());
}

// A process that was seen and whose segment is gone has left in an orderly way: the segment of a killed
// process stays.
ThreadHealth HeartbeatAnalysis::judge_missing(std::uint32_t thread, const Missing* cause) const {
  ThreadHealth health = judge_unseen(thread, cause);
  if (health.verdict == Verdict::not_started && memory_.contains(thread)) health.verdict = Verdict::ended;
  return health;
}

ThreadHealth HeartbeatAnalysis::judge(std::uint32_t thread, const Evidence& evidence, const View& view,
                                      Time at) {
  if (evidence.process != nullptr) return judge_seen(thread, evidence, evidence.process->state, at);
  const Unseen unseen = find_missing(*plan_, thread, view);
  if (unseen.is_certain || evidence.newest() == nullptr) return judge_missing(thread, unseen.cause);
  return judge_seen(thread, evidence, RunState::running, at);
}

ThreadHealth HeartbeatAnalysis::judge_seen(std::uint32_t thread, const Evidence& evidence, RunState state,
                                           Time at) {
  ThreadHealth health;
  health.thread = thread;
  date(health, evidence, at);
  switch (state) {
    case RunState::dead:
      health.verdict = Verdict::dead;
      break;
    case RunState::ended:
      health.verdict = Verdict::ended;
      break;
    case RunState::stopped:
      health.verdict = Verdict::stopped;
      break;
    case RunState::running:
    case RunState::hidden:
    case RunState::unknown:
      judge_silence(health, evidence, at);
      if (is_stalled(health.verdict) && state != RunState::running) health.detail = why_unknown(state);
      break;
  }
  return health;
}

void HeartbeatAnalysis::date(ThreadHealth& health, const Evidence& evidence, Time at) {
  const Dated* const newest = evidence.newest();
  if (newest == nullptr) return;
  health.silent_for = silence_after(*newest, memory_of(health.thread, evidence), at);
  if (evidence.last) {
    const Dated& last = *evidence.last;
    health.last = last.record;
    health.last_realtime_ns = last.recorder->clock.to_realtime_ns(last.record.end);
  }
  if (evidence.in_flight) {
    health.in_flight = evidence.in_flight->record;
    health.in_flight_for = newest == &*evidence.in_flight ? health.silent_for : evidence.in_flight->age();
  }
}

// If the age of a record is unknown because the clock has jumped back, the record is at least as old as the
// first view in which it was the newest.
nanoseconds HeartbeatAnalysis::silence_after(const Dated& newest, Memory& memory, Time at) {
  if (const auto age = newest.age()) {
    memory.undated.reset();
    return *age;
  }
  if (!memory.undated || memory.undated->record != newest.record) memory.undated = {newest.record, at};
  return at - memory.undated->first_seen;
}

// Forgets the thread when its process was restarted: a verdict never mixes two runs. If the view does not
// report that process, the run of the process that recorded the thread's newest event counts.
HeartbeatAnalysis::Memory& HeartbeatAnalysis::memory_of(std::uint32_t thread, const Evidence& evidence) {
  const ProcessReport& process =
      evidence.process != nullptr ? *evidence.process : *evidence.newest()->recorder;
  Memory& memory = memory_[thread];
  if (memory.pid != process.pid || memory.start_ticks != process.start_ticks) {
    memory = {};
    memory.pid = process.pid;
    memory.start_ticks = process.start_ticks;
  }
  return memory;
}

void HeartbeatAnalysis::judge_silence(ThreadHealth& health, const Evidence& evidence, Time at) {
  const ThreadReport* const kernel = evidence.kernel;
  const ThreadIndex planned(health.thread);
  if (plan_->threads.has(planned) && !plan_->threads[planned].is_thread()) return judge_stand_in(health);
  Memory& memory = memory_of(health.thread, evidence);
  if (kernel != nullptr && kernel->has_ended()) {
    health.verdict = Verdict::ended;
    return;
  }
  if (kernel != nullptr && kernel->tid != 0) {
    health.lacks_processor = lacks_processor(health, memory, *kernel);
    watch_processor(memory, *kernel, at);
    if (!memory.first_seen) memory.first_seen = at;
  }
  health.uses_processor = memory.uses_processor;
  if (health.silent_for) {
    memory.last_event = at - *health.silent_for;
  } else {
    // Without an event, the thread has been silent since it was first seen. If the application has emptied
    // its trace elements, which is not reported, the last event that was seen limits the silence.
    const std::optional<Time> since = memory.last_event ? memory.last_event : memory.first_seen;
    if (!since) return;
    health.silent_for = at - *since;
  }
  if (*health.silent_for < stall_after_) {
    health.verdict = Verdict::running;
  } else if (health.in_flight && waits_for_others(*health.in_flight)) {
    health.verdict = Verdict::stuck;  // an operation that is recorded when it begins is recorded to its end
  } else if (evidence.process != nullptr && !evidence.process->collecting.is_complete_for(operation_kind)) {
    health.verdict = Verdict::not_collected;
    health.detail = "collecting is " + describe(evidence.process->collecting);
  } else if (evidence.process != nullptr && is_in_other_namespace(evidence.process->state) &&
             !memory.uses_processor) {
    health.verdict = Verdict::silent;
  } else {  // inside a region a thread does not wait for another thread
    health.verdict = memory.uses_processor ? Verdict::computing : Verdict::blocked;
  }
}

// Joints and parts of scopes are not threads. A joint without an operation waits for contributions, and the
// threads below it show which are missing. A part of a scope waits for the next pull. Therefore only an
// operation in flight can be stuck.
void HeartbeatAnalysis::judge_stand_in(ThreadHealth& health) const {
  if (!health.silent_for) return;
  const bool stuck = health.in_flight && *health.silent_for >= stall_after_;
  health.verdict = stuck ? Verdict::stuck : Verdict::running;
}

// The kernel counts processor time in steps of 10 ms, so two readings must be some time apart. Until then the
// state at the first reading decides.
void HeartbeatAnalysis::watch_processor(Memory& memory, const ThreadReport& kernel, Time at) {
  constexpr nanoseconds long_enough = std::chrono::milliseconds(200);
  constexpr std::uint64_t min_share = 50;  // a fiftieth: many threads may share one processor
  if (!kernel.is_known()) return;          // its time is not 0
  if (!memory.has_cpu) {
    memory.uses_processor = kernel.state == 'R';
    memory.has_cpu = true;
  } else if (at - memory.cpu_at < long_enough) {
    return;
  } else {
    const auto elapsed = static_cast<std::uint64_t>((at - memory.cpu_at).count());
    memory.uses_processor = kernel.cpu_ns - memory.cpu_ns >= elapsed / min_share;
  }
  memory.cpu_ns = kernel.cpu_ns;
  memory.cpu_at = at;
}

// Called before watch_processor(). The last reading of watch_processor() is up to one of its periods older
// than the previous view, so the thread's processor time is over- rather than underestimated.
bool HeartbeatAnalysis::lacks_processor(const ThreadHealth& health, Memory& memory,
                                        const ThreadReport& kernel) const {
  constexpr std::uint64_t share_of_set_time = 10;
  const std::uint64_t since = health.in_flight ? health.in_flight->start : 0;
  if (since != memory.in_flight_since) {
    memory.in_flight_since = since;
    memory.cpu_before_ns = memory.cpu_ns;  // 0 before the first reading
  }
  if (since == 0 || !kernel.is_known() || kernel.state != 'R' || !memory.has_cpu) return false;
  return kernel.cpu_ns - memory.cpu_before_ns <
         static_cast<std::uint64_t>(stall_after_.count()) / share_of_set_time;
}

}  // namespace eventspace
