#include "pathmaps/hosting/scope_paths.h"

#include <fmt/format.h>

#include <utility>

#include <eventspace/error.h>
#include "pathmaps/hosting/path_assembly.h"
#include "pathmaps/hosting/session_host.h"

namespace eventspace {
namespace {

[[noreturn]] void refuse(const ScopeTree& part, PathIndex path, const std::string& why) {
  throw ConfigurationError(fmt::format(
      "scope {} cannot record its pulls on path number {}: {}; a consumer must use the path numbers "
      "that the plan gives this part of the scope, or none",
      part.scope, path.number(), why));
}

}  // namespace

ScopePaths::ScopePaths(const Plan& plan, NodeIndex node, SessionHost& host)
    : plan_(plan), node_(node), host_(host) {}
ScopePaths::~ScopePaths() = default;

std::unique_ptr<Stage> ScopePaths::answer(const ScopeTree& part, std::unique_ptr<Stage> next) {
  if (!part.root.answer_path) return next;
  const PathIndex path(*part.root.answer_path);
  const ScopePartPlan& planned = part_with(path, part);
  if (planned.answer != path)
    refuse(part, path, "on that path its part on this server pulls from another part");
  return collect(path, CollectPoint::element, PullEnd::finished, std::move(next));
}

std::unique_ptr<Stage> ScopePaths::ask(const ScopeTree& part, const ScopeNode& child,
                                       std::unique_ptr<Stage> next) {
  if (!child.ask_path) return next;
  const PathIndex path(*child.ask_path);
  const ScopePartPlan& planned = part_with(path, part);
  if (planned.answer == path) refuse(part, path, "on that path its part on this server is pulled from");
  const std::string& asked = plan_.nodes[plan_.node_of(plan_.end_of(path).host)].name;
  if (asked != child.node)
    refuse(part, path, fmt::format("that path leads to node {}, not to {}", asked, child.node));
  return collect(path, CollectPoint::thread, PullEnd::ready, std::move(next));
}

// Returns the planned part to which `path` belongs. The number comes from another process and is not trusted.
const ScopePartPlan& ScopePaths::part_with(PathIndex path, const ScopeTree& part) const {
  if (!plan_.paths.has(path)) refuse(part, path, "the path does not exist");
  const ThreadPlan& user = plan_.threads[plan_.paths[path].thread];
  const std::optional<PartIndex> number = user.part();
  if (!number) refuse(part, path, fmt::format("that path belongs to {}, of the application", user.name));
  const ScopePartPlan& planned = plan_.parts[*number];
  if (planned.scope != part.scope)
    refuse(part, path, fmt::format("that path belongs to scope {}", planned.scope));
  if (planned.node != node_)
    refuse(part, path,
           fmt::format("that path belongs to node {}; this is the server of node {}",
                       plan_.nodes[planned.node].name, plan_.nodes[node_].name));
  return planned;
}

std::unique_ptr<Stage> ScopePaths::collect(PathIndex path, CollectPoint point, PullEnd end,
                                           std::unique_ptr<Stage> next) {
  PullLog* const log = log_of(path, point);
  return log == nullptr ? std::move(next) : make_pull_collector(std::move(next), *log, end);
}

PullLog* ScopePaths::log_of(PathIndex path, CollectPoint point) {
  const std::optional<TraceIndex> trace = plan_.trace_at(path, point);
  if (!trace) return nullptr;
  if (const auto known = logs_.find(*trace); known != logs_.end()) return &known->second;
  const auto writer = host_.writer_of(*trace);
  if (!writer) return nullptr;
  const CollectorIdentity identity = collector_identity(plan_, path, point);
  return &logs_.try_emplace(*trace, *writer, identity, host_.elsewhere(), Clock::instance()).first->second;
}

}  // namespace eventspace
