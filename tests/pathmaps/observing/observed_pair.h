#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <eventspace/session.h>
#include "tests/tuplespace/segment_directory.h"

namespace eventspace::test {

/// A session with a pathmap, in this process: threads a and b, each with paths `log`, which keeps three of
/// its tuples, and `box`. The newest eight events of each path are kept, or as many as `kept` says.
class ObservedPair : public testing::Test {
 protected:
  explicit ObservedPair(int kept = 8) {
    std::ofstream(pathmap_) << R"(pathmap: 1
name: observed
cluster: {nodes: {here: {}}}
application:
  threads: [a, b]
  elements:
    - {name: "{thread}/log", for: "*", tuple: [int], threshold: 3, when_full: discard}
    - {name: box, tuple: [int]}
  paths:
    - {thread: "*", name: log, element: "{thread}/log", use: write}
    - {thread: "*", name: box, element: box}
placement: {processes: {p: {node: here, threads: "*"}}}
collect: {threshold: )" << kept
                            << R"(, points: [{at: thread}]}
scopes:
  events: {read: next, direct: true, levels: [{group: all, wrapper: gather}]}
  newest: {direct: true, levels: [{group: all, wrapper: gather}]}
  means:
    read: next
    direct: true
    levels: [{group: all, wrappers: [gather, {aggregate: {of: duration}}]}]
)";
    session_.emplace(Session::join(pathmap_, "p"));
  }

  void write(const std::string& thread, int count) {
    for (std::int64_t i = 0; i < count; ++i)
      ASSERT_EQ(session_->thread(thread).path("log").write(Tuple::of({i})), Status::ok);
  }

  SegmentDirectory directory_;
  std::filesystem::path pathmap_{directory_.path() / "observed.yaml"};
  std::optional<Session> session_;
};

}  // namespace eventspace::test
