#pragma once

#include <string>

#include "pathmaps/plan/plan.h"

namespace eventspace {

/// Prints a scope tree as indented lines "NAME: WRAPPER [SOURCES] on NODE via GATEWAYS".
inline std::string tree_text(const Plan& plan, const ScopeNode& node, const std::string& indent = "") {
  std::string line = indent + node.name + ": " + node.wrapper;
  std::string sources;
  for (const auto& source : node.sources)
    sources += (sources.empty() ? "" : " ") + plan.traces.at(TraceIndex(source.trace)).name;
  if (!sources.empty()) line += " [" + sources + "]";
  if (!node.node.empty()) line += " on " + node.node;
  for (const auto& endpoint : node.route) {
    for (const auto& gateway : plan.nodes)
      line += gateway.endpoint() == endpoint ? " via " + gateway.name : "";
  }
  line += "\n";
  for (const auto& child : node.children) line += tree_text(plan, child, indent + "  ");
  return line;
}

}  // namespace eventspace
