#include "pathmaps/plan/fingerprint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>

namespace eventspace {

namespace {

/// -1 stands for nothing.
std::int64_t number(std::optional<std::size_t> index) {
  return index ? static_cast<std::int64_t>(*index) : -1;
}

void add_line(std::string& text, const ThreadPlan& thread) {
  fmt::format_to(std::back_inserter(text), "thread {} {}\n", thread.name, thread.process);
}

void add_line(std::string& text, const PathPlan& path) {
  fmt::format_to(std::back_inserter(text), "path {} {} {}\n", path.name, path.thread, path.element);
}

void add_line(std::string& text, const TracePlan& trace) {
  fmt::format_to(std::back_inserter(text), "trace {} {} {} {} {}\n", trace.name, trace.path,
                 to_string(trace.point), number(trace.process), trace.node);
}

std::uint64_t fnv(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  return hash;
}

}  // namespace

std::string canonical_text(const Plan& plan) {
  std::string text;
  auto out = std::back_inserter(text);
  fmt::format_to(out, "plan {}\n", plan.name);
  for (const auto& node : plan.nodes) fmt::format_to(out, "node {}\n", node.name);
  for (const auto& process : plan.processes)
    fmt::format_to(out, "process {} {}\n", process.name, process.node);
  for (const auto& thread : plan.threads)
    if (!thread.part) add_line(text, thread);
  for (const auto& element : plan.elements) {
    if (element.part) continue;
    fmt::format_to(out, "element {} {} {} {}{}\n", element.config.name, element.config.signature.to_string(),
                   number(element.process), number(element.node), element.room ? " shared" : "");
  }
  for (std::size_t i = 0; i < plan.paths.size(); ++i)
    if (!plan.is_of_scope(i)) add_line(text, plan.paths[i]);
  for (const auto& trace : plan.traces)
    if (!plan.is_of_scope(trace.path)) add_line(text, trace);
  for (const auto& joint : plan.joints)
    fmt::format_to(out, "joint {} {} {} {}\n", joint.name, joint.element, number(joint.uplink),
                   fmt::join(joint.children, " "));
  for (const auto& collective : plan.collectives)
    fmt::format_to(out, "collective {} {} {} {}\n", collective.name, to_string(collective.kind),
                   number(collective.root), fmt::join(collective.combine, " "));
  return text;
}

std::string canonical_text_of_scopes(const Plan& plan) {
  std::string text;
  for (const auto& part : plan.parts) {
    fmt::format_to(std::back_inserter(text), "part {} {} {} {} {}\n", part.name, part.scope, part.node,
                   part.thread, part.element);
  }
  for (std::size_t i = 0; i < plan.paths.size(); ++i)
    if (plan.is_of_scope(i)) add_line(text, plan.paths[i]);
  for (const auto& trace : plan.traces)
    if (plan.is_of_scope(trace.path)) add_line(text, trace);
  return text;
}

std::uint64_t fingerprint_of(const Plan& plan) { return fnv(canonical_text(plan)); }

std::uint64_t scopes_fingerprint_of(const Plan& plan) {
  return fnv(canonical_text(plan) + canonical_text_of_scopes(plan));
}

}  // namespace eventspace
