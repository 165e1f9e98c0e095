#include "pathmaps/hosting/session_host.h"

#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <set>

#include <eventspace/error.h>
#include "pathmaps/hosting/path_target.h"
#include "pathmaps/plan/match.h"
#include "pathmaps/plan/plan_names.h"
#include "paths/bodies/element_bodies.h"
#include "paths/bodies/element_reports.h"
#include "tuplespace/system/session_files.h"

namespace eventspace {
namespace {

SegmentIdentity identity_of(const Plan& plan, const Host& host, const std::string& session) {
  const std::string& node = plan.nodes[plan.node_of(host)].name;
  return match(
      host,
      [&](const ProcessIndex& process) {
        const ProcessPlan& planned = plan.processes[process];
        return SegmentIdentity{session, node, planned.name, plan.fingerprint, planned.member};
      },
      [&](const NodeIndex& server) {
        return SegmentIdentity{session, node, name_of_node_server(plan, server), plan.scopes_fingerprint, {}};
      });
}

// The pages of a mapped file on a disk or on another machine are written back now and then, and the next
// store to one of them may wait for that.
void require_memory(const AnnexPlan& annex) {
  struct statfs status {};
  if (::statfs(annex.directory.c_str(), &status) != 0) {
    throw EnvironmentError::from_errno(
        fmt::format("cannot use {}, the directory of annex '{}'", annex.directory.string(), annex.name),
        errno);
  }
  if (status.f_type == TMPFS_MAGIC || status.f_type == RAMFS_MAGIC) return;
  throw EnvironmentError(fmt::format(
      "the trace elements of annex '{}' cannot be in {}, which is not in memory (a file system of "
      "type {:#x}): recording would wait for its disk or network; expected a tmpfs",
      annex.name, annex.directory.string(), static_cast<std::uint64_t>(status.f_type)));
}

}  // namespace

NetworkLimits network_limits(const LimitsPlan& limits) {
  // Binds all fields, so that this does not compile when a field is added to LimitsPlan: decide then whether
  // the network needs it.
  const auto& [message_bytes, open_targets, connections, lease, not_keep] = limits;
  NetworkLimits result;
  result.message_bytes = message_bytes;
  result.open_targets = open_targets;
  result.connections = connections;
  result.lease = lease;
  return result;
}

SessionHost::SessionHost(std::shared_ptr<const Plan> plan, Host id, std::string session, bool collect,
                         Network* network)
    : plan_(std::move(plan)),
      id_(id),
      session_(std::move(session)),
      switch_(make_switch(collect)),
      elsewhere_{switch_.get()} {
  create_elements();
  if (collect) make_segments();
  // A joint makes its uplink at its first operation, when paths_ is set; it is set last, because it refers to
  // joints_.
  joints_ = std::make_unique<HostedJoints>(*plan_, id_, network, [this](PathIndex path, LinkPool& links) {
    return paths_->make(path, uplink_user(links));
  });
  paths_.emplace(PathAssembly::Place{plan_.get(), session_, id_, &elements_, shared_ ? &*shared_ : nullptr,
                                     joints_.get(), &elsewhere_,
                                     [this](TraceIndex trace) { return writer_of(trace); }});
}

// The session works without a control file: then other processes cannot switch it, and report that.
std::shared_ptr<CollectSwitch> SessionHost::make_switch(bool collect) {
  try {
    if (collect) control_.emplace(identity_of(*plan_, id_, session_));
  } catch (const Error&) {
    control_.reset();
  }
  return control_ ? control_->collect_switch() : std::make_shared<CollectSwitch>();
}

SessionHost::~SessionHost() { elements_.close_all(); }

void SessionHost::close() {
  elements_.close_all();
  joints_->close();
  if (shared_) shared_->close();
}

void SessionHost::create_elements() {
  std::vector<SharedElementSpec> shared;
  for (const ElementPlan& planned : plan_->elements) {
    const auto* const element = std::get_if<TupleElement>(&planned.kind);
    if (planned.host != id_ || element == nullptr) continue;
    if (element->room) {
      shared.push_back({element->config, *element->room});
    } else {
      elements_.create(element->config);
    }
  }
  if (std::holds_alternative<ProcessIndex>(id_)) share(std::move(shared));
}

void SessionHost::share(std::vector<SharedElementSpec> elements) {
  const bool uses_any = std::any_of(plan_->paths.begin(), plan_->paths.end(), [this](const PathPlan& path) {
    return plan_->threads[path.thread].host() == id_ && plan_->elements[path.element].is_shared();
  });
  if (!uses_any && elements.empty()) return;
  const SegmentIdentity self = identity_of(*plan_, id_, session_);
  shared_.emplace(SharedSpace::Config{self.session, self.node, self.fingerprint});
  shared_->host(self.process, std::move(elements));
}

// Annexes first: a reader that finds the segment finds all annexes.
void SessionHost::make_segments() {
  Segment::Config config = segment_config();
  std::map<AnnexIndex, Segment::Config> annexes;
  for (const TraceIndex i : plan_->traces.indices()) {
    const TracePlan& trace = plan_->traces[i];
    if (trace.host != id_) continue;
    if (!trace.annex) {
      add_trace(i, config);
      continue;
    }
    const auto annex = annexes.try_emplace(*trace.annex, annex_config(config, plan_->annexes[*trace.annex]));
    add_trace(i, annex.first->second);
  }
  for (const auto& [number, annex] : annexes) annexes_.emplace(number, Segment(annex));
  segment_.emplace(config);
}

Segment::Config SessionHost::annex_config(const Segment::Config& segment, const AnnexPlan& annex) const {
  Segment::Config config;
  config.identity = segment.identity;
  config.clock = segment.clock;
  config.created_realtime_ns = segment.created_realtime_ns;
  config.threads = segment.threads;
  config.log_bytes = 0;
  config.annex = annex.name;
  config.keep = annex.keep;
  if (!annex.directory.empty()) {
    require_memory(annex);
    config.directory = own_directory_in(annex.directory);
  }
  return config;
}

void SessionHost::add_trace(TraceIndex number, Segment::Config& config) {
  const TracePlan& trace = plan_->traces[number];
  trace_slot_.emplace(number, config.traces.size());
  config.traces.push_back({trace.name, number.number32(), trace.path.number32(),
                           plan_->paths[trace.path].thread.number32(),
                           static_cast<std::uint16_t>(trace.point), trace.threshold});
}

const Segment& SessionHost::segment_of(const TracePlan& trace) const noexcept {
  return trace.annex ? annexes_.at(*trace.annex) : *segment_;
}
Segment& SessionHost::segment_of(const TracePlan& trace) noexcept {
  return const_cast<Segment&>(std::as_const(*this).segment_of(trace));
}

Segment::Config SessionHost::segment_config() {
  Segment::Config config;
  config.identity = identity_of(*plan_, id_, session_);
  config.clock = Clock::instance().calibration();
  config.created_realtime_ns =
      std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
  for (const ThreadIndex i : plan_->threads.indices()) {
    const ThreadPlan& thread = plan_->threads[i];
    if (!thread.is_thread() || thread.host() != id_) continue;
    threads_.push_back(i);
    config.threads.push_back(i.number32());
  }
  return config;
}

std::optional<TraceWriter> SessionHost::writer_of(TraceIndex trace) {
  const auto slot = trace_slot_.find(trace);
  if (!segment_ || slot == trace_slot_.end()) return std::nullopt;
  return segment_of(plan_->traces[trace]).writer(slot->second);
}

// A joint waits for its parent as long as its own users wait, so it does not need a lookout: reconnect. On a
// server, the joint adds the grace itself (Uplink::grace), because the loop must not wait.
PathUser SessionHost::uplink_user(LinkPool& links) const {
  const bool on_server = std::holds_alternative<NodeIndex>(id_);
  const auto grace = on_server ? std::chrono::nanoseconds{} : links.network().limits().answer_grace;
  return {&links, &elsewhere_, grace, WhenLost::reconnect};
}

std::shared_ptr<const TargetKind> SessionHost::path_targets() {
  auto open = [this](Bytes spec, LinkPool&) {
    const PathIndex path = path_of_spec(spec, *plan_, session_);
    // A path that is reopened after a lost connection keeps its stages: make_end is called once per path.
    auto end = ends_.find(path);
    if (end == ends_.end()) end = ends_.emplace(path, paths_->make_end(path)).first;
    return end->second.open();
  };
  return element_kind(std::move(open), [this](Bytes spec) {
    const PathPlan& path = plan_->paths[path_of_spec(spec, *plan_, session_)];
    return fmt::format("path {} of {}", path.name, plan_->threads[path.thread].name);
  });
}

std::shared_ptr<const TargetKind> SessionHost::element_states_targets(bool shared) const {
  return element_states_kind(session_, plan_->fingerprint, [this, shared] {
    std::vector<ElementState> states = states_of(elements_);
    if (!shared) return states;
    for (ElementState& state : states_of_shared(session_, plan_->nodes[plan_->node_of(id_)].name))
      states.push_back(std::move(state));
    return states;
  });
}

std::set<std::string> SessionHost::endpoints() const {
  std::set<std::string> result;
  for (const NodePlan& node : plan_->nodes) result.insert(node.endpoint());
  for (const ProcessPlan& process : plan_->processes) {
    if (!process.endpoint.empty()) result.insert(process.endpoint);
  }
  return result;
}

void SessionHost::empty_all() noexcept {
  if (segment_) segment_->empty_all();
  for (auto& [number, annex] : annexes_) annex.empty_all();
}
void SessionHost::empty_thread(ThreadIndex thread) noexcept {
  if (segment_) segment_->empty_thread(thread.number32());
  for (auto& [number, annex] : annexes_) annex.empty_thread(thread.number32());
}
void SessionHost::empty_path(PathIndex path) noexcept {
  if (segment_) segment_->empty_path(path.number32());
  for (auto& [number, annex] : annexes_) annex.empty_path(path.number32());
}

std::uint64_t SessionHost::events_recorded() const {
  std::uint64_t sum = 0;
  for (const auto& [trace, slot] : trace_slot_)
    sum += segment_of(plan_->traces[trace]).reader(slot).published();
  return sum;
}

std::uint64_t SessionHost::events_discarded() const {
  std::uint64_t sum = 0;
  std::vector<TraceTuple> none;
  for (const auto& [trace, slot] : trace_slot_)
    sum += segment_of(plan_->traces[trace]).reader(slot).read_after(0, 0, none).discarded;
  return sum;
}

std::optional<std::size_t> SessionHost::thread_in_segment(ThreadIndex thread) const {
  const auto found = std::find(threads_.begin(), threads_.end(), thread);
  if (!segment_ || found == threads_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - threads_.begin());
}

}  // namespace eventspace
