#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/monitors/workplace.h"

namespace eventspace::testing_commands {

/// The fixture of tests that watch or record ring_app, built as RING_APP: t0 to t7 in two processes on one
/// node.
class Ring : public Workplace {
 protected:
  /// `how`: arguments of the application.
  void begin_ring(const std::vector<std::string>& how) {
    pathmap_ = write("ring.yaml", R"(pathmap: 1
name: ring
cluster: {nodes: {n1: {}}}
application:
  threads: ["t[0-7]"]
  generate: [{neighbour-exchange: {threads: "t*", wrap: true, north: [n], south: [s], tuple: int, threshold: 2}}]
  collectives: {meet: {kind: barrier, threads: "*", levels: [{group: all, on: n1}, {group: process}]}}
placement:
  processes: {p0: {node: n1, threads: "t[0-3]"}, p1: {node: n1, threads: "t[4-7]"}}
  elements: [{elements: "border/**", with: reader, shared: 32KiB}]
collect: {points: [{at: thread, threshold: 1000}]}
scopes:
  heartbeat: {timeout: 5s, levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather}]}
  events: {read: next, timeout: 5s, levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather}]}
)");
    start_servers_of(pathmap_);
    std::vector<std::string> words{"run", pathmap_, "--", RING_APP};
    words.insert(words.end(), how.begin(), how.end());
    application_.emplace(start(words));
    for (int thread = 0; thread < 8; ++thread)
      ASSERT_TRUE(application_->says(fmt::format("steps of t{}", thread))) << application_->err();
  }
  Call ask(const std::string& command, std::vector<std::string> options) {
    options.insert(options.begin(), {command, pathmap_.string()});
    return call(options);
  }

  std::filesystem::path pathmap_;
  std::optional<Call> application_;
};

}  // namespace eventspace::testing_commands
