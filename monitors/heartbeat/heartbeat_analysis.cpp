#include "monitors/heartbeat/heartbeat_analysis.h"

#include <algorithm>

#include "monitors/collectives/collective_plan.h"
#include "monitors/watching/scope_threads.h"
#include "pathmaps/plan/match.h"
#include "pathmaps/plan/plan_names.h"

namespace eventspace {

using std::chrono::nanoseconds;

std::string_view to_string(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::running:
      return "running";
    case Verdict::not_started:
      return "not started";
    case Verdict::ended:
      return "ended";
    case Verdict::stuck:
      return "stuck in operation";
    case Verdict::computing:
      return "computing";
    case Verdict::blocked:
      return "blocked outside operations";
    case Verdict::stopped:
      return "process stopped";
    case Verdict::dead:
      return "process dead";
    case Verdict::unreachable:
      return "unreachable";
  }
  return "?";
}

bool is_stalled(Verdict verdict) noexcept { return verdict >= Verdict::stuck; }

namespace {

// The time from `ticks` to the report, by the process's own clock. A record can be slightly newer than the
// report, because the process records while its segment is read; hence the 0.
nanoseconds since(const ProcessReport& process, std::uint64_t ticks) {
  const double ns = process.clock.ns_between(ticks, process.now_ticks);
  return nanoseconds(static_cast<std::int64_t>(std::max(ns, 0.0)));
}

// A process that was restarted while the view was made has two reports: the later one counts.
const ProcessReport* report_of(const View& view, std::size_t process) {
  const ProcessReport* latest = nullptr;
  for (const ProcessReport& report : view.processes) {
    const bool later = latest == nullptr || report.start_ticks > latest->start_ticks;
    if (report.process == process && later) latest = &report;
  }
  return latest;
}

std::set<TraceIndex> traces_of(const Plan& plan, const std::vector<std::uint32_t>& threads) {
  std::set<TraceIndex> traces;
  for (const PathPlan& path : plan.paths) {
    if (std::ranges::find(threads, path.thread.number32()) != threads.end())
      traces.insert(path.traces.begin(), path.traces.end());
  }
  return traces;
}

}  // namespace

// The records and reports of one thread in one view.
struct HeartbeatAnalysis::Evidence {
  const ProcessReport* process{nullptr};
  const ThreadReport* kernel{nullptr};
  std::optional<EventRecord> last;
  std::optional<EventRecord> in_flight;

  void add(const EventRecord& record) {
    std::optional<EventRecord>& newest = record.in_flight() ? in_flight : last;
    const bool newer =
        !newest || (record.in_flight() ? record.start > newest->start : record.end > newest->end);
    if (newer) newest = record;
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
  std::unordered_map<std::uint32_t, Evidence> evidence;
  for (const TraceTuple& tuple : view.records) {
    const EventRecord record = decode(tuple);
    evidence[record.thread].add(record);
  }
  for (const ProcessReport& process : view.processes) {
    for (const ThreadReport& kernel : process.threads) evidence[kernel.thread].kernel = &kernel;
  }
  HealthReport report;
  for (const std::uint32_t thread : watched_) {
    Evidence& known = evidence[thread];
    known.process = report_of(view, number_of_process(*plan_, plan_->threads[ThreadIndex(thread)].host()));
    report.threads.push_back(known.process != nullptr ? judge(thread, known, at)
                                                      : judge_unseen(thread, view));
    report.stalled += is_stalled(report.threads.back().verdict) ? 1 : 0;
  }
  attendance_.observe(view);
  report.culprits = find_culprits(*plan_, attendance_, report.threads);
  return report;
}

ThreadHealth HeartbeatAnalysis::judge(std::uint32_t thread, const Evidence& evidence, Time at) {
  const ProcessReport& process = *evidence.process;
  ThreadHealth health;
  health.thread = thread;
  health.last = evidence.last;
  health.in_flight = evidence.in_flight;
  if (health.last) {
    health.silent_for = since(process, health.last->end);
    health.last_realtime_ns = process.clock.to_realtime_ns(health.last->end);
  }
  if (health.in_flight) {
    health.in_flight_for = since(process, health.in_flight->start);
    health.silent_for = std::min(health.silent_for.value_or(nanoseconds::max()), *health.in_flight_for);
  }
  switch (process.state) {
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
      judge_silence(health, evidence, at);
      break;
  }
  return health;
}

// Forgets the thread when its process was restarted: a verdict never mixes two runs.
HeartbeatAnalysis::Memory& HeartbeatAnalysis::memory_of(std::uint32_t thread, const ProcessReport& process) {
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
  if (!plan_->threads[ThreadIndex(health.thread)].is_thread()) return judge_stand_in(health);
  Memory& memory = memory_of(health.thread, *evidence.process);
  const bool left = kernel != nullptr && kernel->tid != 0 && kernel->state == '?';  // the thread has ended
  if (left) {
    health.verdict = Verdict::ended;
    return;
  }
  if (kernel != nullptr && kernel->tid != 0) {
    watch_processor(memory, *kernel, at);
    if (!memory.first_seen) memory.first_seen = at;
  }
  if (!health.silent_for) {  // no event yet: silent since it was first seen
    if (!memory.first_seen) return;
    health.silent_for = at - *memory.first_seen;
  }
  if (*health.silent_for < stall_after_) {
    health.verdict = Verdict::running;
  } else if (health.in_flight) {
    health.verdict = Verdict::stuck;
  } else {
    health.verdict = memory.uses_processor ? Verdict::computing : Verdict::blocked;
  }
}

// Joints and parts of scopes are not threads. A joint without an operation waits for contributions, and the
// threads below it show which ones are missing; a part of a scope waits for the next pull. Only an operation
// in flight can be stuck.
void HeartbeatAnalysis::judge_stand_in(ThreadHealth& health) const {
  if (!health.silent_for) return;
  const bool stuck = health.in_flight && *health.silent_for >= stall_after_;
  health.verdict = stuck ? Verdict::stuck : Verdict::running;
}

// The kernel counts processor time in steps of 10 ms, so two readings must be some time apart. Until then the
// state at the first reading decides.
void HeartbeatAnalysis::watch_processor(Memory& memory, const ThreadReport& kernel, Time at) {
  constexpr nanoseconds long_enough = std::chrono::milliseconds(200);
  constexpr std::uint64_t least_share = 50;  // a fiftieth: many threads may share one processor
  if (!memory.has_cpu) {
    memory.uses_processor = kernel.state == 'R';
    memory.has_cpu = true;
  } else if (at - memory.cpu_at < long_enough) {
    return;
  } else {
    const auto elapsed = static_cast<std::uint64_t>((at - memory.cpu_at).count());
    memory.uses_processor = kernel.cpu_ns - memory.cpu_ns >= elapsed / least_share;
  }
  memory.cpu_ns = kernel.cpu_ns;
  memory.cpu_at = at;
}

// The view has no report of the thread's process; its list of missing parts tells the cause.
ThreadHealth HeartbeatAnalysis::judge_unseen(std::uint32_t thread, const View& view) const {
  ThreadHealth health;
  health.thread = thread;
  const Host host = plan_->threads[ThreadIndex(thread)].host();
  const std::string& node = plan_->nodes[plan_->node_of(host)].name;
  const std::string process = match(
      host, [this](const ProcessIndex& index) { return "process " + plan_->processes[index].name; },
      [&](const NodeIndex&) { return "server of node " + node; });
  const auto about = [&](const Missing& missing) {
    const bool process_itself = missing.what == process;
    return process_itself || (missing.node == node && !missing.what.starts_with("process "));
  };
  auto missing = std::find_if(view.missing.begin(), view.missing.end(), about);
  if (missing == view.missing.end()) {  // no entry names it: a missing gateway may hide it
    missing = view.missing.begin();
  }
  if (missing == view.missing.end() || missing->cause == MissingCause::no_segment) return health;
  health.verdict = Verdict::unreachable;
  health.detail = missing->what + ": " +
                  (missing->detail.empty() ? std::string(to_string(missing->cause)) : missing->detail);
  return health;
}

}  // namespace eventspace
