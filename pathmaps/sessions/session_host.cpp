#include "pathmaps/sessions/session_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "pathmaps/plan/match.h"
#include "pathmaps/plan/plan_names.h"
#include "paths/bodies/element_bodies.h"
#include "paths/element_stage.h"
#include "paths/remote/lookout_stage.h"
#include "paths/remote/shared_element_stage.h"
#include "paths/wrappers.h"
#include "tuplespace/system/error.h"
#include "tuplespace/tuple.h"

namespace eventspace {
namespace {

SegmentIdentity identity_of(const Plan& plan, const Host& host, const std::string& session) {
  const std::string& node = plan.nodes[plan.node_of(host)].name;
  return match(
      host,
      [&](const ProcessIndex& process) {
        return SegmentIdentity{session, node, plan.processes[process].name, plan.fingerprint};
      },
      [&](const NodeIndex& server) {
        return SegmentIdentity{session, node, name_of_node_server(plan, server), plan.scopes_fingerprint};
      });
}

}  // namespace

std::vector<std::byte> path_spec(PathIndex path, std::uint64_t fingerprint) {
  const Tuple spec =
      Tuple::of({static_cast<std::int64_t>(path.number()), static_cast<std::int64_t>(fingerprint)});
  return {spec.encoded().begin(), spec.encoded().end()};
}

NetworkLimits network_limits(const LimitsPlan& limits) {
  NetworkLimits result;
  result.message_bytes = limits.message_bytes;
  result.open_targets = limits.open_targets;
  result.connections = limits.connections;
  result.lease = limits.lease;
  return result;
}

std::vector<std::string> hops_of(const Plan& plan, const PathPlan& path) {
  std::vector<std::string> hops;
  for (const NodeIndex gateway : path.route) hops.push_back(plan.nodes[gateway].endpoint());
  hops.push_back(match(
      plan.elements[path.element].host,
      [&](const ProcessIndex& process) { return plan.processes[process].endpoint; },
      [&](const NodeIndex& node) { return plan.nodes[node].endpoint(); }));
  return hops;
}

RemoteTarget remote_target_of(const Plan& plan, PathIndex index, std::chrono::nanoseconds answer_grace) {
  const PathPlan& path = plan.paths[index];
  const ElementPlan& element = plan.elements[path.element];
  const std::vector<std::string> hops = hops_of(plan, path);
  RemoteTarget target;
  target.endpoint = hops.front();
  target.open = {path_target, path_spec(index, plan.fingerprint), {hops.begin() + 1, hops.end()}};
  target.open.held = element.joint().has_value();
  target.node = plan.nodes[plan.node_of(element.host)].name;
  target.answer_grace = answer_grace;
  return target;
}

std::unique_ptr<Stage> put_wrappers(const PathPlan& path, std::unique_ptr<Stage> end) {
  for (auto wrapper = path.stages.rbegin(); wrapper != path.stages.rend(); ++wrapper) {
    const WrapperInfo* const info = WrapperRegistry::instance().find(wrapper->wrapper);
    if (info == nullptr) throw ConfigurationError(fmt::format("unknown wrapper '{}'", wrapper->wrapper));
    end = info->make(complete_parameters(info->parameters, wrapper->parameters, info->name), std::move(end));
  }
  return end;
}

SessionHost::SessionHost(std::shared_ptr<const Plan> plan, Host id, std::string session, bool collect,
                         Network* network)
    : plan_(std::move(plan)), id_(id), session_(std::move(session)) {
  create_elements();
  if (collect) segment_.emplace(segment_config());
  joints_ = std::make_unique<HostedJoints>(
      *plan_, id_, network, [this](PathIndex path, LinkPool& links) { return make_uplink(path, links); });
}

SessionHost::~SessionHost() { elements_.close_all(); }

void SessionHost::close() {
  elements_.close_all();
  joints_->close();
  if (shared_) shared_->close();
}

bool SessionHost::hosts_element(ElementIndex element) const noexcept {
  return plan_->elements[element].host == id_;
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

Segment::Config SessionHost::segment_config() {
  Segment::Config config;
  config.identity = identity_of(*plan_, id_, session_);
  config.clock = Clock::instance().calibration();
  for (const ThreadIndex i : plan_->threads.indices()) {
    const ThreadPlan& thread = plan_->threads[i];
    if (!thread.is_thread() || thread.host() != id_) continue;
    threads_.push_back(i);
    config.threads.push_back(i.number32());
  }
  for (const TraceIndex i : plan_->traces.indices()) {
    const TracePlan& trace = plan_->traces[i];
    if (trace.host != id_) continue;
    trace_slot_.emplace(i, config.traces.size());
    config.traces.push_back({trace.name, i.number32(), trace.path.number32(),
                             plan_->paths[trace.path].thread.number32(),
                             static_cast<std::uint16_t>(trace.point), trace.threshold});
  }
  return config;
}

std::optional<TraceWriter> SessionHost::writer_of(TraceIndex trace) {
  const auto slot = trace_slot_.find(trace);
  if (!segment_ || slot == trace_slot_.end()) return std::nullopt;
  return segment_->writer(slot->second);
}

std::unique_ptr<Stage> SessionHost::collect_at(PathIndex path, CollectPoint point,
                                               std::unique_ptr<Stage> next, const RecordedThread& thread) {
  if (!segment_) return next;
  const PathPlan& planned = plan_->paths[path];
  for (const TraceIndex trace : planned.traces) {
    const auto slot = trace_slot_.find(trace);
    if (plan_->traces[trace].point != point || slot == trace_slot_.end()) continue;
    const CollectorIdentity identity{planned.thread.number32(), path.number32(),
                                     planned.peer ? planned.peer->number32() : no_peer,
                                     static_cast<std::uint16_t>(point)};
    next = make_event_collector(std::move(next), segment_->writer(slot->second), identity, thread,
                                Clock::instance(), plan_->stamps);
  }
  return next;
}

std::unique_ptr<Stage> SessionHost::make_shared_end(PathIndex path, const RecordedThread& thread,
                                                    WhenLost when_lost, std::optional<ProcessIndex> peer) {
  const ElementPlan& element = plan_->end_of(path);
  const std::string& home = plan_->processes[std::get<ProcessIndex>(element.host)].name;
  std::unique_ptr<Lookout> lookout;
  if (peer) lookout = std::make_unique<SharedLookout>(*shared_, plan_->processes[*peer].name);
  return finish_end(path, std::make_unique<SharedElementStage>(*shared_, home, element.name, when_lost),
                    std::move(lookout), thread);
}

std::unique_ptr<Stage> SessionHost::make_end(PathIndex path, std::unique_ptr<Lookout> lookout) {
  if (plan_->end_of(path).joint()) return finish_end(path, joints_->make_end(path), nullptr, elsewhere_);
  const std::string& name = plan_->end_of(path).name;
  Element* const element = elements_.find(name);
  if (element == nullptr) throw ConfigurationError(fmt::format("element {} is not hosted here", name));
  return finish_end(path, std::make_unique<ElementStage>(*element), std::move(lookout), elsewhere_);
}

std::unique_ptr<Stage> SessionHost::finish_end(PathIndex path, std::unique_ptr<Stage> end,
                                               std::unique_ptr<Lookout> lookout,
                                               const RecordedThread& thread) {
  if (lookout) end = std::make_unique<LookoutStage>(std::move(end), std::move(lookout));
  return collect_at(path, CollectPoint::element, std::move(end), thread);
}

// [event collector ->] wrappers -> [event collector ->] joint, or remote: as for a thread.
std::unique_ptr<Stage> SessionHost::make_uplink(PathIndex path, LinkPool& links) {
  const PathPlan& planned = plan_->paths[path];
  const bool loop = std::holds_alternative<NodeIndex>(id_);
  std::unique_ptr<Stage> end;
  if (hosts_element(planned.element)) {
    end = make_end(path);
  } else {
    const auto grace = loop ? std::chrono::nanoseconds{} : links.network().limits().answer_grace;
    end = std::make_unique<RemoteStage>(links, remote_target_of(*plan_, path, grace));
  }
  return collect_at(path, CollectPoint::thread, put_wrappers(planned, std::move(end)), elsewhere_);
}

std::shared_ptr<const TargetKind> SessionHost::path_targets() {
  return element_kind([this](Bytes spec, LinkPool&) {
    const Tuple tuple = Tuple::decode(spec);
    const PathIndex path(static_cast<std::size_t>(tuple.get<std::int64_t>(0)));
    if (static_cast<std::uint64_t>(tuple.get<std::int64_t>(1)) != plan_->fingerprint) {
      throw ConfigurationError(
          "the other process uses another version of the pathmap; start all of them anew");
    }
    if (!plan_->paths.has(path))
      throw ConfigurationError(fmt::format("unknown path number {}", path.number()));
    auto end = ends_.find(path);
    if (end == ends_.end()) end = ends_.emplace(path, make_end(path)).first;
    return end->second.open();
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

std::uint64_t SessionHost::events_recorded() const {
  std::uint64_t sum = 0;
  for (const auto& [trace, slot] : trace_slot_) sum += segment_->reader(slot).published();
  return sum;
}

std::uint64_t SessionHost::events_discarded() const {
  std::uint64_t sum = 0;
  for (const auto& [trace, slot] : trace_slot_) {
    const TraceReader reader = segment_->reader(slot);
    const std::uint64_t recorded = reader.published();
    if (recorded > reader.threshold()) sum += recorded - reader.threshold();
  }
  return sum;
}

std::optional<std::size_t> SessionHost::thread_in_segment(ThreadIndex thread) const {
  const auto found = std::find(threads_.begin(), threads_.end(), thread);
  if (!segment_ || found == threads_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - threads_.begin());
}

}  // namespace eventspace
