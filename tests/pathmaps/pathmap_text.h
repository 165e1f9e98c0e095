#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "pathmaps/pathmap.h"

namespace eventspace {

/// A pathmap for tests, section by section. Sections that a test does not set have a small default without
/// faults.
class PathmapText {
 public:
  PathmapText& cluster(std::string text) { return set(cluster_, std::move(text)); }
  PathmapText& application(std::string text) { return set(application_, std::move(text)); }
  PathmapText& placement(std::string text) { return set(placement_, std::move(text)); }
  PathmapText& collect(std::string text) { return set(collect_, std::move(text)); }
  PathmapText& scopes(std::string text) { return set(scopes_, std::move(text)); }

  [[nodiscard]] std::string text() const {
    return "pathmap: 1\nname: small\ncluster:\n" + cluster_ + "application:\n" + application_ +
           "placement:\n" + placement_ + "collect:\n" + collect_ + "scopes:\n" + scopes_;
  }

  [[nodiscard]] std::vector<Fault> faults() const { return parse_plan(text(), "small.yaml").faults; }

  [[nodiscard]] Plan plan() const {
    auto result = parse_plan(text(), "small.yaml");
    for (const auto& fault : result.faults) ADD_FAILURE() << to_string(fault);
    return result.plan.value_or(Plan{});
  }

 private:
  PathmapText& set(std::string& section, std::string text) {
    section = std::move(text);
    return *this;
  }

  std::string cluster_{"  nodes: {n1: {host: 127.0.0.1, port: 7101}}\n"};
  std::string application_{
      "  threads: [a, b]\n"
      "  elements: [{name: box, tuple: [int]}]\n"
      "  paths:\n"
      "    - {thread: a, name: out, element: box, use: write}\n"
      "    - {thread: b, name: in, element: box, use: read}\n"};
  std::string placement_{"  processes: {p0: {node: n1, threads: \"*\"}}\n"};
  std::string collect_{"  points: [{at: thread}]\n"};
  std::string scopes_{"  s: {levels: [{group: all, wrapper: gather}]}\n"};
};

/// Returns the name of the process, or of the node if the host is a server.
inline std::string host_name(const Plan& plan, const Host& host) {
  const auto* const process = std::get_if<ProcessIndex>(&host);
  return process != nullptr ? plan.processes.at(*process).name
                            : plan.nodes.at(std::get<NodeIndex>(host)).name;
}

/// Returns path `name` of `thread`. If it does not exist, fails the test and returns an empty path.
inline PathPlan path_of(const Plan& plan, std::string_view thread, std::string_view name) {
  for (const auto& path : plan.paths) {
    if (path.name == name && plan.threads.at(path.thread).name == thread) return path;
  }
  ADD_FAILURE() << "no path " << name << " of " << thread;
  return {};
}

inline std::string element_of(const Plan& plan, std::string_view thread, std::string_view name) {
  const auto path = path_of(plan, thread, name);
  return path.name.empty() ? "" : plan.elements.at(path.element).name;
}

}  // namespace eventspace
