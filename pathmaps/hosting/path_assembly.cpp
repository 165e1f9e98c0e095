#include "pathmaps/hosting/path_assembly.h"

#include <fmt/format.h>

#include <utility>

#include <eventspace/error.h>
#include "pathmaps/hosting/path_target.h"
#include "pathmaps/plan/match.h"
#include "paths/element_stage.h"
#include "paths/remote/lookout_stage.h"
#include "paths/remote/remote_stage.h"
#include "paths/remote/shared_element_stage.h"
#include "paths/wrappers.h"

namespace eventspace {
namespace {

// Returns the endpoints of the servers on the way, gateways first. The last one hosts the end of the path.
std::vector<std::string> hops_of(const Plan& plan, const PathPlan& path) {
  std::vector<std::string> hops;
  for (const NodeIndex gateway : path.route) hops.push_back(plan.nodes[gateway].endpoint());
  hops.push_back(match(
      plan.elements[path.element].host,
      [&](const ProcessIndex& process) { return plan.processes[process].endpoint; },
      [&](const NodeIndex& node) { return plan.nodes[node].endpoint(); }));
  return hops;
}

RemoteTarget remote_target(const Plan& plan, std::string_view session, PathIndex path,
                           std::chrono::nanoseconds answer_grace) {
  const ElementPlan& end = plan.end_of(path);
  const std::vector<std::string> hops = hops_of(plan, plan.paths[path]);
  RemoteTarget target;
  target.endpoint = hops.front();
  target.open = {path_target, path_spec(path, plan.fingerprint, session), {hops.begin() + 1, hops.end()}};
  target.open.held = end.joint().has_value();
  target.node = plan.nodes[plan.node_of(end.host)].name;
  target.answer_grace = answer_grace;
  return target;
}

std::unique_ptr<Stage> put_wrapper(const StagePlan& stage, std::unique_ptr<Stage> next) {
  const WrapperInfo* const info = WrapperRegistry::instance().find(stage.wrapper);
  if (info == nullptr) throw ConfigurationError(fmt::format("unknown wrapper '{}'", stage.wrapper));
  return info->make(complete_parameters(info->parameters, stage.parameters, info->name), std::move(next));
}

}  // namespace

std::unique_ptr<Stage> PathAssembly::make(PathIndex path, const PathUser& user) const {
  std::unique_ptr<Stage> first = last_stage(path, user);
  const std::vector<StagePlan>& stages = plan().paths[path].stages;
  for (std::size_t stage = stages.size(); stage > 0; --stage) {
    if (stage <= max_collected_stages)
      first = collect(path, after_stage(stage), std::move(first), *user.recorded);
    first = put_wrapper(stages[stage - 1], std::move(first));
  }
  return collect(path, CollectPoint::thread, std::move(first), *user.recorded);
}

std::unique_ptr<Stage> PathAssembly::make_end(PathIndex path) const {
  return end_here(path, hosted_stage(path), nullptr, *place_.elsewhere);
}

std::unique_ptr<Stage> PathAssembly::last_stage(PathIndex path, const PathUser& user) const {
  const ElementPlan& end = plan().end_of(path);
  if (end.is_shared())
    return end_here(path, shared_stage(path, user), shared_lookout(path, user), *user.recorded);
  if (end.host == place_.here)
    return end_here(path, hosted_stage(path), link_lookout(path, user), *place_.elsewhere);
  return std::make_unique<RemoteStage>(*user.links,
                                       remote_target(plan(), place_.session, path, user.answer_grace));
}

std::unique_ptr<Stage> PathAssembly::hosted_stage(PathIndex path) const {
  const ElementPlan& end = plan().end_of(path);
  const auto not_here = [&] {
    return ConfigurationError(fmt::format("element {} is not hosted here", end.name));
  };
  return match(
      end.kind,
      [&](const TupleElement& element) -> std::unique_ptr<Stage> {
        Element* const hosted = place_.elements->find(element.config.name);
        if (hosted == nullptr) throw not_here();
        return std::make_unique<ElementStage>(*hosted);
      },
      [&](const JointElement&) { return place_.joints->make_end(path); },
      [&](const PartElement&) -> std::unique_ptr<Stage> { throw not_here(); });
}

std::unique_ptr<Stage> PathAssembly::shared_stage(PathIndex path, const PathUser& user) const {
  const ElementPlan& end = plan().end_of(path);
  const std::string& home = plan().processes[std::get<ProcessIndex>(end.host)].name;
  return std::make_unique<SharedElementStage>(*place_.shared, home, end.name, user.when_lost);
}

std::unique_ptr<Stage> PathAssembly::end_here(PathIndex path, std::unique_ptr<Stage> end,
                                              std::unique_ptr<Lookout> lookout,
                                              const RecordedThread& thread) const {
  if (lookout) end = std::make_unique<LookoutStage>(std::move(end), std::move(lookout));
  return collect(path, CollectPoint::element, std::move(end), thread);
}

std::unique_ptr<Stage> PathAssembly::collect(PathIndex path, CollectPoint point, std::unique_ptr<Stage> next,
                                             const RecordedThread& thread) const {
  const std::optional<TraceIndex> trace = plan().trace_at(path, point);
  std::optional<TraceWriter> writer = trace ? place_.writer_of(*trace) : std::nullopt;
  if (!writer) return next;
  return make_event_collector(std::move(next), *writer, collector_identity(plan(), path, point), thread,
                              Clock::instance(), plan().stamps);
}

// The element is in this process, so this path lacks a link to the peer's process. If another path of the
// same thread leads to that process, the link of that path detects its end.
std::unique_ptr<Lookout> PathAssembly::link_lookout(PathIndex path, const PathUser& user) const {
  const std::optional<ProcessIndex> peer = peer_process(path, user);
  if (!peer) return nullptr;
  for (const PathPlan& way : plan().paths) {
    const ElementPlan& end = plan().elements[way.element];
    if (way.thread != plan().paths[path].thread || end.host != Host(*peer) || end.is_shared()) continue;
    return std::make_unique<LinkLookout>(user.links->to(hops_of(plan(), way).front()),
                                         "process " + plan().processes[*peer].name);
  }
  return nullptr;
}

// Needs no lookout if the element belongs to the peer's process: SharedElementStage already ends operations
// when the process of the element ends.
std::unique_ptr<Lookout> PathAssembly::shared_lookout(PathIndex path, const PathUser& user) const {
  const std::optional<ProcessIndex> peer = peer_process(path, user);
  if (!peer || plan().end_of(path).host == Host(*peer)) return nullptr;
  return std::make_unique<SharedLookout>(*place_.shared, plan().processes[*peer].name);
}

// Returns the process whose end the lookout detects: the process of the only other user of the element, if
// that user is a thread of another process. No lookout is needed with WhenLost::reconnect.
std::optional<ProcessIndex> PathAssembly::peer_process(PathIndex path, const PathUser& user) const {
  const std::optional<ThreadIndex> peer = plan().paths[path].peer;
  if (!peer || user.when_lost == WhenLost::reconnect) return std::nullopt;
  const auto* const thread = std::get_if<ApplicationThread>(&plan().threads[*peer].kind);
  if (thread == nullptr || place_.here == Host(thread->process)) return std::nullopt;
  return thread->process;
}

CollectorIdentity collector_identity(const Plan& plan, PathIndex path, CollectPoint point) {
  const PathPlan& planned = plan.paths[path];
  return {planned.thread.number32(), path.number32(), planned.peer ? planned.peer->number32() : no_peer,
          static_cast<std::uint16_t>(point)};
}

}  // namespace eventspace
