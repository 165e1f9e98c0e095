#include "pathmaps/plan/fingerprint.h"

#include <fmt/format.h>

#include <algorithm>

#include "pathmaps/plan/match.h"
#include "tuplespace/system/fnv.h"

namespace eventspace {
namespace {

// The add_line functions bind all fields of a struct, so that adding a field breaks the compilation: decide
// then whether it belongs to the fingerprint. Fields bound to names that begin with "not_" are left out.

// Programs of different versions compare fingerprints, so the format of the text must not change. It writes
// -1 for an index that is not set.
constexpr int nothing = -1;

using Out = std::back_insert_iterator<std::string>;

template <class Part>
std::string numbers(const std::vector<Index<Part>>& indexes) {
  std::string text;
  for (const Index<Part> index : indexes) text += (text.empty() ? "" : " ") + std::to_string(index.number());
  return text;
}

std::string words(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& word : all) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::int64_t process_number(const Host& host) {
  const auto* const process = std::get_if<ProcessIndex>(&host);
  return process != nullptr ? static_cast<std::int64_t>(process->number()) : nothing;
}

std::int64_t server_number(const Host& host) {
  const auto* const node = std::get_if<NodeIndex>(&host);
  return node != nullptr ? static_cast<std::int64_t>(node->number()) : nothing;
}

void add_line(Out out, const NodePlan& node) {
  const auto& [name, not_host, not_port, not_cluster, not_launch, not_priority, not_dynamic] = node;
  fmt::format_to(out, "node {}\n", name);
}

void add_line(Out out, const ProcessPlan& process) {
  const auto& [name, node, not_port, not_endpoint, not_member] = process;
  fmt::format_to(out, "process {} {}\n", name, node.number());
}

void add_line(Out out, const ThreadPlan& thread) {
  const auto& [name, kind] = thread;
  // A joint on the server of a node is written as one of process 0, for compatibility. No information is
  // lost: the line of its element has the server.
  const std::optional<std::int64_t> process = match(
      kind, [](const ApplicationThread& own) { return std::optional(process_number(Host(own.process))); },
      [](const JointUser& user) {
        return std::optional(std::max<std::int64_t>(process_number(user.host), 0));
      },
      [](const PartUser&) { return std::optional<std::int64_t>(); });
  if (process) fmt::format_to(out, "thread {} {}\n", name, *process);
}

void add_line(Out out, const ElementPlan& element, const Plan& plan) {
  const auto& [name, host, kind] = element;
  const std::optional<Signature> signature = match(
      kind, [](const TupleElement& own) { return std::optional(own.config.signature); },
      [&](const JointElement& end) {
        return std::optional(plan.collectives[plan.joints[end.joint].collective].signature);
      },
      [](const PartElement&) { return std::optional<Signature>(); });
  if (!signature) return;
  fmt::format_to(out, "element {} {} {} {}{}\n", name, signature->to_string(), process_number(host),
                 server_number(host), element.is_shared() ? " shared" : "");
}

void add_line(Out out, const PathPlan& path) {
  const auto& [name, thread, element, not_use, not_peer, not_stages, not_route, not_traces] = path;
  fmt::format_to(out, "path {} {} {}\n", name, thread.number(), element.number());
}

void add_line(Out out, const TracePlan& trace, const Plan& plan) {
  const auto& [name, path, point, not_threshold, host, not_annex] = trace;
  fmt::format_to(out, "trace {} {} {} {} {}\n", name, path.number(), to_string(point), process_number(host),
                 plan.node_of(host).number());
}

void add_line(Out out, const JointPlan& joint) {
  const auto& [name, not_collective, element, children, uplink] = joint;
  fmt::format_to(out, "joint {} {} {} {}\n", name, element.number(),
                 uplink ? static_cast<std::int64_t>(uplink->number()) : nothing, numbers(children));
}

void add_line(Out out, const CollectivePlan& collective) {
  const auto& [name, kind, not_signature, combine, not_participants, root, not_joints] = collective;
  fmt::format_to(out, "collective {} {} {} {}\n", name, to_string(kind),
                 root ? static_cast<std::int64_t>(*root) : nothing, words(combine));
}

void add_line(Out out, const ScopePartPlan& part) {
  const auto& [name, scope, node, thread, element, not_answer, not_asks] = part;
  fmt::format_to(out, "part {} {} {} {} {}\n", name, scope, node.number(), thread.number(), element.number());
}

}  // namespace

std::string canonical_text(const Plan& plan) {
  std::string text;
  const Out out(text);
  fmt::format_to(out, "plan {}\n", plan.name);
  for (const auto& node : plan.nodes) add_line(out, node);
  for (const auto& process : plan.processes) add_line(out, process);
  for (const auto& thread : plan.threads) add_line(out, thread);
  for (const auto& element : plan.elements) add_line(out, element, plan);
  for (const PathIndex path : plan.paths.indices())
    if (!plan.is_of_scope(path)) add_line(out, plan.paths[path]);
  for (const auto& trace : plan.traces)
    if (!plan.is_of_scope(trace.path)) add_line(out, trace, plan);
  for (const auto& joint : plan.joints) add_line(out, joint);
  for (const auto& collective : plan.collectives) add_line(out, collective);
  return text;
}

std::string canonical_text_of_scopes(const Plan& plan) {
  std::string text;
  const Out out(text);
  for (const auto& part : plan.parts) add_line(out, part);
  for (const PathIndex path : plan.paths.indices())
    if (plan.is_of_scope(path)) add_line(out, plan.paths[path]);
  for (const auto& trace : plan.traces)
    if (plan.is_of_scope(trace.path)) add_line(out, trace, plan);
  return text;
}

std::uint64_t fingerprint_of(const Plan& plan) { return fnv1a<std::uint64_t>(canonical_text(plan)); }

std::uint64_t scopes_fingerprint_of(const Plan& plan) {
  return fnv1a<std::uint64_t>(canonical_text(plan) + canonical_text_of_scopes(plan));
}

}  // namespace eventspace
