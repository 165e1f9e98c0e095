#include "pathmaps/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "collectors/record_header.h"
#include "pathmaps/plan/match.h"
#include "paths/links/local_endpoint.h"

namespace eventspace {

namespace {

template <class Part>
std::optional<Index<Part>> find_named(const IndexedVector<Part>& parts, std::string_view name) noexcept {
  const auto found = std::ranges::find(parts, name, &Part::name);
  if (found == parts.end()) return std::nullopt;
  return parts.index_of(*found);
}

}  // namespace

std::string endpoint_of(std::string_view host, std::uint16_t port) {
  const bool bare_ipv6 = host.find(':') != std::string_view::npos && !host.starts_with('[');
  return bare_ipv6 ? fmt::format("tcp://[{}]:{}", host, port) : fmt::format("tcp://{}:{}", host, port);
}

std::string local_endpoint_of_node(std::string_view node) {
  return fmt::format("{}node/{}", local_scheme, node);
}
std::string local_endpoint_of_process(std::string_view process) {
  return fmt::format("{}process/{}", local_scheme, process);
}

std::string NodePlan::endpoint() const {
  return port == 0 ? local_endpoint_of_node(name) : endpoint_of(host, port);
}

static_assert(point_names.size() == static_cast<std::size_t>(after_stage(max_collected_stages)) + 1);

std::string_view to_string(CollectPoint point) noexcept {
  const auto number = static_cast<std::size_t>(point);
  return number < point_names.size() ? point_names[number] : "?";
}

std::string_view to_string(PathUse use) noexcept {
  switch (use) {
    case PathUse::write:
      return "write";
    case PathUse::read:
      return "read";
    case PathUse::any:
      break;
  }
  return "any";
}

Host ThreadPlan::host() const noexcept {
  return match(
      kind, [](const ApplicationThread& thread) { return Host(thread.process); },
      [](const JointUser& user) { return user.host; }, [](const PartUser& user) { return Host(user.node); });
}

bool ThreadPlan::is_thread_of(ProcessIndex process) const noexcept {
  const auto* const thread = std::get_if<ApplicationThread>(&kind);
  return thread != nullptr && thread->process == process;
}

std::optional<JointIndex> ThreadPlan::joint() const noexcept {
  const auto* const user = std::get_if<JointUser>(&kind);
  return user != nullptr ? std::optional(user->joint) : std::nullopt;
}

std::optional<PartIndex> ThreadPlan::part() const noexcept {
  const auto* const user = std::get_if<PartUser>(&kind);
  return user != nullptr ? std::optional(user->part) : std::nullopt;
}

bool ElementPlan::is_shared() const noexcept {
  const auto* const element = std::get_if<TupleElement>(&kind);
  return element != nullptr && element->room;
}

std::optional<JointIndex> ElementPlan::joint() const noexcept {
  const auto* const end = std::get_if<JointElement>(&kind);
  return end != nullptr ? std::optional(end->joint) : std::nullopt;
}

std::optional<PartIndex> ElementPlan::part() const noexcept {
  const auto* const end = std::get_if<PartElement>(&kind);
  return end != nullptr ? std::optional(end->part) : std::nullopt;
}

std::vector<std::filesystem::path> Plan::annex_directories() const {
  std::vector<std::filesystem::path> directories;
  for (const AnnexPlan& annex : annexes) {
    if (!annex.directory.empty()) directories.push_back(annex.directory);
  }
  return directories;
}

NodeIndex Plan::node_of(const Host& host) const noexcept {
  return match(
      host, [this](const ProcessIndex& process) { return processes[process].node; },
      [](const NodeIndex& node) { return node; });
}

std::optional<NodeIndex> Plan::find_node(std::string_view node) const noexcept {
  return find_named(nodes, node);
}

std::optional<ProcessIndex> Plan::find_process(std::string_view process) const noexcept {
  return find_named(processes, process);
}

std::optional<ThreadIndex> Plan::find_thread(std::string_view thread) const noexcept {
  return find_named(threads, thread);
}

const CollectivePlan* Plan::find_collective(std::string_view collective) const noexcept {
  const auto found = std::ranges::find(collectives, collective, &CollectivePlan::name);
  return found == collectives.end() ? nullptr : &*found;
}

std::optional<TraceIndex> Plan::trace_at(PathIndex path, CollectPoint point) const noexcept {
  for (const TraceIndex trace : paths[path].traces) {
    if (traces[trace].point == point) return trace;
  }
  return std::nullopt;
}

std::size_t Plan::thread_count() const noexcept {
  return static_cast<std::size_t>(
      std::ranges::count_if(threads, [](const ThreadPlan& thread) { return thread.is_thread(); }));
}

std::size_t Plan::element_count() const noexcept {
  return static_cast<std::size_t>(
      std::ranges::count_if(elements, [](const ElementPlan& element) { return element.is_element(); }));
}

std::size_t Plan::path_count() const noexcept {
  std::size_t count = paths.size();
  for (const ScopePartPlan& part : parts) count -= 1 + part.asks.size();
  return count;
}

const ScopeTree* Plan::find_scope(std::string_view scope) const noexcept {
  const auto found = std::ranges::find(scopes, scope, &ScopeTree::scope);
  return found == scopes.end() ? nullptr : &*found;
}

}  // namespace eventspace
