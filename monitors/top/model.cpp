#include "monitors/top/model.h"

#include <algorithm>
#include <set>

#include "collectors/mpi/mpi_record.h"
#include "collectors/probe_record.h"
#include "collectors/pvm/pvm_record.h"
#include "tuplespace/system/saturating.h"

namespace eventspace::top {
namespace {

void collect_servers(const ScopeNode& node, std::set<std::string>& servers) {
  if (!node.node.empty()) servers.insert("server of node " + node.node);
  for (const ScopeNode& child : node.children) collect_servers(child, servers);
}

std::vector<std::string> servers_of(const ScopeTree& tree) {
  std::set<std::string> servers;
  collect_servers(tree.root, servers);
  return {servers.begin(), servers.end()};
}

nanoseconds between(const ProcessReport& process, std::uint64_t from, std::uint64_t to) {
  return nanoseconds(std::max<std::int64_t>(saturating::round(process.clock.ns_between(from, to)), 0));
}

PathState& path_of(const EventRecord& record, ThreadState& thread) {
  const auto found = std::find_if(thread.paths.begin(), thread.paths.end(), [&](const PathState& path) {
    return path.path == record.path && path.point == record.point;
  });
  if (found != thread.paths.end()) return *found;
  PathState added;
  added.path = record.path;
  added.point = record.point;
  return thread.paths.emplace_back(added);
}

// Numbers the parts of the scope in pre-order.
void collect_parts(const ScopeNode& node, std::map<std::string, std::size_t>& parts) {
  parts.try_emplace(node.name, parts.size());
  for (const ScopeNode& child : node.children) collect_parts(child, parts);
}

double per_second(double count, nanoseconds elapsed) {
  return count * 1e9 / static_cast<double>(std::max<std::int64_t>(elapsed.count(), 1));
}

}  // namespace

Model::Model(const Plan& plan, const PlanNames& names, const ScopeTree& tree, nanoseconds stall_after,
             const Evidence& evidence)
    : plan_(&plan),
      names_(&names),
      servers_(servers_of(tree)),
      analysis_(plan, tree, stall_after),
      job_(names, stall_after, evidence.past, evidence.timeline),
      fills_(evidence.fills),
      patience_(std::max<nanoseconds>(stall_after / 8, std::chrono::milliseconds(50))),
      rates_(names) {
  state_.servers_in_scope = servers_.size();
  collect_parts(tree.root, order_);
}

const State& Model::observe(const Sample& sample) {
  const View& view = sample.view;
  if (!start_) start_ = sample.at;
  state_.since_start = sample.at - *start_;
  ++state_.pulls;
  state_.partial += view.missing.empty() ? 0 : 1;
  state_.loss += view.loss;
  state_.missing = view.missing;
  state_.trace_elements = view.sources_read;
  saw_events_ = saw_events_ || !view.records.empty();
  judge(sample);
  rates_.observe(view);
  observe_threads(view);
  observe_servers(sample);
  if (!sample.collectives.empty()) state_.collectives = sample.collectives;
  if (sample.networks) state_.streams = streams_.observe(sample.networks->found, sample.networks->at);
  observe_parts(view);
  observe_cost(sample);
  return state_;
}

void Model::judge(const Sample& sample) {
  HealthReport& health = state_.health;
  health = analysis_.observe(sample.view, sample.at);
  job_.judge(sample.view, sample.at, patience_, health);
  if (fills_ != nullptr && !health.element_waits.empty()) fills_->fill(health.element_waits, patience_);
  health.delays = sample.delays;
}

// --- threads ----------------------------------------------------------------------------------------

void Model::observe_threads(const View& view) {
  state_.threads.clear();
  state_.processes.clear();
  for (const ProcessReport& process : view.processes) {  // of two runs of one process, the later counts
    ProcessReport& known = state_.processes[process.process];
    if (process.start_ticks >= known.start_ticks) known = process;
  }
  state_.events_per_second.reset();
  state_.kept_for.reset();
  std::unordered_map<std::uint32_t, std::size_t> at;
  for (const ThreadHealth& health : state_.health.threads) {
    at.emplace(health.thread, state_.threads.size());
    state_.threads.emplace_back().health = health;
  }
  const auto find = [&](std::uint32_t thread) {
    const auto found = at.find(thread);
    return found == at.end() ? nullptr : &state_.threads[found->second];
  };
  for (const TraceTuple& tuple : view.records) {
    const EventRecord record = decode(tuple);
    if (ThreadState* const thread = find(record.thread)) add_record(record, *thread);
  }
  for (const ProcessReport& process : view.processes) {
    for (const ThreadReport& report : process.threads) {
      if (ThreadState* const thread = find(report.thread)) add_kernel(process, report, *thread);
    }
  }
  for (const Culprit& culprit : state_.health.culprits) {
    ThreadState* const thread = find(culprit.thread);
    thread->waiting = culprit.waiting;
    thread->is_culprit = culprit.verdict != Verdict::unreachable;
  }
  for (ThreadState& thread : state_.threads) sum_up(thread);
}

void Model::add_record(const EventRecord& record, ThreadState& thread) {
  const auto source = names_->source_of(record.path, record.point);
  const bool is_shown = record.is_operation() || record.kind == probe_kind || record.kind == mpi_kind ||
                        record.kind == pvm_kind;
  if (!source || !is_shown || record.is_continuation()) return;
  PathState& path = path_of(record, thread);
  const auto reported = state_.processes.find(source->process);
  const ProcessReport* const process = reported == state_.processes.end() ? nullptr : &reported->second;
  if (record.in_flight()) {
    path.in_flight = record;
    if (process != nullptr) path.in_flight_for = between(*process, record.start, process->now_ticks);
    return;
  }
  path.last = record;
  path.rate = rates_.of(record.path, record.point);
  if (process != nullptr) {
    path.took = between(*process, record.start, record.end);
    path.ended_ago = between(*process, record.end, process->now_ticks);
  }
  const TraceIndex trace(source->trace);
  if (path.rate.per_second.value_or(0) > 0 && plan_->traces.has(trace)) {
    const double seconds = plan_->traces[trace].threshold / *path.rate.per_second;
    path.kept_for = nanoseconds(static_cast<std::int64_t>(std::min(seconds * 1e9, 9e18)));
  }
}

void Model::add_kernel(const ProcessReport& process, const ThreadReport& report, ThreadState& thread) {
  thread.tid = report.tid;
  thread.kernel_state = report.state;
  if (!report.is_known()) return;
  thread.cpu = nanoseconds(static_cast<std::int64_t>(report.cpu_ns));
  Kernel& before = kernel_[report.thread];
  const double elapsed = process.clock.ns_between(before.ticks, process.now_ticks);
  if (before.tid == report.tid && report.tid != 0 && elapsed > 0 && report.cpu_ns >= before.cpu_ns)
    thread.cpu_share = static_cast<double>(report.cpu_ns - before.cpu_ns) / elapsed;
  before = {report.tid, report.cpu_ns, process.now_ticks};
}

void Model::sum_up(ThreadState& thread) {
  std::sort(thread.paths.begin(), thread.paths.end(), [](const PathState& a, const PathState& b) {
    return a.path != b.path ? a.path < b.path : a.point < b.point;
  });
  const PathState* previous = nullptr;
  for (const PathState& path : thread.paths) {
    const bool is_counted = previous != nullptr && previous->path == path.path;
    previous = &path;
    if (path.kept_for && *path.kept_for < state_.kept_for.value_or(nanoseconds::max())) {
      state_.kept_for = path.kept_for;
      state_.kept_by = path.path;
    }
    if (is_counted) continue;
    thread.rate.events += path.rate.events;
    if (path.rate.per_second)
      thread.rate.per_second = thread.rate.per_second.value_or(0) + *path.rate.per_second;
  }
  if (thread.rate.per_second)
    state_.events_per_second = state_.events_per_second.value_or(0) + *thread.rate.per_second;
}

// --- servers and cost -------------------------------------------------------------------------------

void Model::observe_servers(const Sample& sample) {
  const auto is_missing = [&](const std::string& server) {
    return std::any_of(sample.view.missing.begin(), sample.view.missing.end(),
                       [&](const Missing& missing) { return missing.what == server; });
  };
  state_.servers_silent =
      static_cast<std::size_t>(std::count_if(servers_.begin(), servers_.end(), is_missing));
  state_.servers.clear();
  for (std::size_t node = 0; node < sample.servers.size(); ++node) {
    ServerState& server = state_.servers.emplace_back(ServerState{node, sample.servers[node], {}});
    if (!server.sample.report) continue;
    const wire::ServerReport& report = *server.sample.report;
    Requests& before = requests_[node];
    if (before.pid == report.pid && report.requests >= before.count && sample.at > before.at)
      server.requests_per_second =
          per_second(static_cast<double>(report.requests - before.count), sample.at - before.at);
    before = {report.pid, report.requests, sample.at};
  }
}

void Model::observe_parts(const View& view) {
  state_.parts.clear();
  for (const LevelTime& level : view.levels) {
    Part& part = parts_[level.name];
    ++part.pulls;
    part.sum += level.elapsed;
    part.longest = std::max(part.longest, level.elapsed);
    state_.parts.push_back(
        {level.name, level.elapsed, part.sum / static_cast<std::int64_t>(part.pulls), part.longest});
  }
  const auto place = [this](const PartTime& part) {
    const auto found = order_.find(part.name);
    return found == order_.end() ? order_.size() : found->second;
  };
  std::stable_sort(state_.parts.begin(), state_.parts.end(),
                   [&](const PartTime& a, const PartTime& b) { return place(a) < place(b); });
}

void Model::observe_cost(const Sample& sample) {
  const std::uint64_t bytes = sample.traffic.bytes_received + sample.traffic.bytes_sent;
  const nanoseconds elapsed = sample.cost.elapsed - before_.cost.elapsed;
  const auto pulls = static_cast<std::int64_t>(sample.cost.pulls - before_.cost.pulls);
  const double cpu = static_cast<double>((sample.cost.cpu - before_.cost.cpu).count()) / 1e9;
  state_.watching = {per_second(static_cast<double>(pulls), elapsed),
                     (sample.cost.pulling - before_.cost.pulling) / std::max<std::int64_t>(pulls, 1),
                     per_second(cpu, elapsed),
                     per_second(static_cast<double>(bytes - before_.bytes), elapsed)};
  // Rates are computed over at least long_enough, because looks can follow each other at once, as when a
  // screen is opened.
  constexpr nanoseconds long_enough = std::chrono::milliseconds(900);
  if (elapsed >= long_enough) before_ = {sample.cost, bytes};
}

}  // namespace eventspace::top
