#include "pathmaps/sessions/scope_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pathmaps/sessions/session_host.h"
#include "tuplespace/system/error.h"

namespace eventspace {
namespace {

[[noreturn]] void refuse(const ScopeTree& part, std::uint32_t path, const std::string& why) {
  throw ConfigurationError(
      fmt::format("scope {} is to record its pulls on path number {}, {}; whoever opens it must use the "
                  "numbers of this part of the scope, or none",
                  part.scope, path, why));
}

}  // namespace

ScopePaths::ScopePaths(const Plan& plan, std::size_t node, SessionHost& host)
    : plan_(plan), node_(node), host_(host) {}
ScopePaths::~ScopePaths() = default;

std::unique_ptr<Stage> ScopePaths::answer(const ScopeTree& part, std::unique_ptr<Stage> next) {
  const std::uint32_t path = *part.root.answer_path;
  const ScopePartPlan& planned = part_with(path, part);
  if (planned.answer != path) refuse(part, path, "on which its part here asks another");
  return collect(path, CollectPoint::element, PullEnd::finished, std::move(next));
}

std::unique_ptr<Stage> ScopePaths::ask(const ScopeTree& part, const ScopeNode& child,
                                       std::unique_ptr<Stage> next) {
  const std::uint32_t path = *child.ask_path;
  const ScopePartPlan& planned = part_with(path, part);
  if (planned.answer == path) refuse(part, path, "on which its part here is asked itself");
  const std::string& asked = plan_.nodes[*plan_.elements[plan_.paths[path].element].node].name;
  if (asked != child.node)
    refuse(part, path, fmt::format("which leads to node {}, not to {}", asked, child.node));
  return collect(path, CollectPoint::thread, PullEnd::ready, std::move(next));
}

// Numbers come from outside.
const ScopePartPlan& ScopePaths::part_with(std::uint32_t path, const ScopeTree& part) const {
  if (path >= plan_.paths.size()) refuse(part, path, "which there is not");
  const ThreadPlan& user = plan_.threads[plan_.paths[path].thread];
  if (!user.part) refuse(part, path, fmt::format("which is one of {}, of the application", user.name));
  const ScopePartPlan& planned = plan_.parts[*user.part];
  if (planned.scope != part.scope) refuse(part, path, fmt::format("which is one of scope {}", planned.scope));
  if (planned.node != node_)
    refuse(part, path,
           fmt::format("which is one of node {}; this is {}", plan_.nodes[planned.node].name,
                       plan_.nodes[node_].name));
  return planned;
}

std::unique_ptr<Stage> ScopePaths::collect(std::uint32_t path, CollectPoint point, PullEnd end,
                                           std::unique_ptr<Stage> next) {
  PullLog* const log = log_of(path, point);
  return log == nullptr ? std::move(next) : make_pull_collector(std::move(next), *log, end);
}

PullLog* ScopePaths::log_of(std::uint32_t path, CollectPoint point) {
  const PathPlan& planned = plan_.paths[path];
  const auto trace = std::ranges::find_if(
      planned.traces, [&](std::size_t number) { return plan_.traces[number].point == point; });
  if (trace == planned.traces.end()) return nullptr;
  if (const auto known = logs_.find(*trace); known != logs_.end()) return &known->second;
  const auto writer = host_.writer_of(*trace);
  if (!writer) return nullptr;
  const CollectorIdentity identity{static_cast<std::uint32_t>(planned.thread), path,
                                   planned.peer ? static_cast<std::uint32_t>(*planned.peer) : no_peer,
                                   static_cast<std::uint16_t>(point)};
  return &logs_.try_emplace(*trace, *writer, identity, Clock::instance()).first->second;
}

}  // namespace eventspace
