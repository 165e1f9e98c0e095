#include "pathmaps/sessions/scope_paths.h"

#include <fmt/format.h>

#include <utility>

#include "pathmaps/sessions/path_assembly.h"
#include "pathmaps/sessions/session_host.h"
#include "tuplespace/system/error.h"

namespace eventspace {
namespace {

[[noreturn]] void refuse(const ScopeTree& part, PathIndex path, const std::string& why) {
  throw ConfigurationError(
      fmt::format("scope {} is to record its pulls on path number {}, {}; whoever opens it must use the "
                  "numbers of this part of the scope, or none",
                  part.scope, path.number(), why));
}

}  // namespace

ScopePaths::ScopePaths(const Plan& plan, NodeIndex node, SessionHost& host)
    : plan_(plan), node_(node), host_(host) {}
ScopePaths::~ScopePaths() = default;

std::unique_ptr<Stage> ScopePaths::answer(const ScopeTree& part, std::unique_ptr<Stage> next) {
  const PathIndex path(*part.root.answer_path);
  const ScopePartPlan& planned = part_with(path, part);
  if (planned.answer != path) refuse(part, path, "on which its part here asks another");
  return collect(path, CollectPoint::element, PullEnd::finished, std::move(next));
}

std::unique_ptr<Stage> ScopePaths::ask(const ScopeTree& part, const ScopeNode& child,
                                       std::unique_ptr<Stage> next) {
  const PathIndex path(*child.ask_path);
  const ScopePartPlan& planned = part_with(path, part);
  if (planned.answer == path) refuse(part, path, "on which its part here is asked itself");
  const std::string& asked = plan_.nodes[plan_.node_of(plan_.end_of(path).host)].name;
  if (asked != child.node)
    refuse(part, path, fmt::format("which leads to node {}, not to {}", asked, child.node));
  return collect(path, CollectPoint::thread, PullEnd::ready, std::move(next));
}

// Numbers come from outside.
const ScopePartPlan& ScopePaths::part_with(PathIndex path, const ScopeTree& part) const {
  if (!plan_.paths.has(path)) refuse(part, path, "which there is not");
  const ThreadPlan& user = plan_.threads[plan_.paths[path].thread];
  const std::optional<PartIndex> number = user.part();
  if (!number) refuse(part, path, fmt::format("which is one of {}, of the application", user.name));
  const ScopePartPlan& planned = plan_.parts[*number];
  if (planned.scope != part.scope) refuse(part, path, fmt::format("which is one of scope {}", planned.scope));
  if (planned.node != node_)
    refuse(part, path,
           fmt::format("which is one of node {}; this is {}", plan_.nodes[planned.node].name,
                       plan_.nodes[node_].name));
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
  return &logs_.try_emplace(*trace, *writer, identity, Clock::instance()).first->second;
}

}  // namespace eventspace
