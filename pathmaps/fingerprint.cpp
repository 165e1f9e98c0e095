#include "pathmaps/fingerprint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>

namespace eventspace {

namespace {

/// -1 stands for nothing.
std::int64_t number(std::optional<std::size_t> index) {
  return index ? static_cast<std::int64_t>(*index) : -1;
}

}  // namespace

std::string canonical_text(const Plan& plan) {
  std::string text;
  auto out = std::back_inserter(text);
  fmt::format_to(out, "plan {}\n", plan.name);
  for (const auto& node : plan.nodes) fmt::format_to(out, "node {}\n", node.name);
  for (const auto& process : plan.processes)
    fmt::format_to(out, "process {} {}\n", process.name, process.node);
  for (const auto& thread : plan.threads) fmt::format_to(out, "thread {} {}\n", thread.name, thread.process);
  for (const auto& element : plan.elements)
    fmt::format_to(out, "element {} {} {} {}{}\n", element.config.name, element.config.signature.to_string(),
                   number(element.process), number(element.node), element.room ? " shared" : "");
  for (const auto& path : plan.paths)
    fmt::format_to(out, "path {} {} {}\n", path.name, path.thread, path.element);
  for (const auto& trace : plan.traces)
    fmt::format_to(out, "trace {} {} {} {} {}\n", trace.name, trace.path, to_string(trace.point),
                   number(trace.process), trace.node);
  for (const auto& joint : plan.joints)
    fmt::format_to(out, "joint {} {} {} {}\n", joint.name, joint.element, number(joint.uplink),
                   fmt::join(joint.children, " "));
  for (const auto& collective : plan.collectives)
    fmt::format_to(out, "collective {} {} {} {}\n", collective.name, to_string(collective.kind),
                   number(collective.root), fmt::join(collective.combine, " "));
  return text;
}

std::uint64_t fingerprint_of(const Plan& plan) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : canonical_text(plan)) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  return hash;
}

}  // namespace eventspace
