#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "scopes/reading/read_stage.h"
#include "tests/scopes/reading/process_talk.h"

namespace eventspace::test {

/// Process p0 (see small_segment: trace elements 3 and 5, keeping four and two), and a stage that reads both.
class ReadStageFixture : public ::testing::Test {
 protected:
  void start_process() {
    segment.reset();
    segment = std::make_unique<Segment>(small_segment(directory.path()));
    first = segment->writer(0);
    second = segment->writer(1);
    recorded = 0;
  }
  void record(int count) {
    for (int i = 0; i < count; ++i) test::record(first, ++recorded);
  }
  ReadStage reading(ReadMode mode, const std::vector<SourceRef>& sources = {{3, 0}, {5, 0}}) {
    return {{sources}, mode, segments, names};
  }
  std::string pull(Stage& stage, std::uint64_t id, std::uint64_t after, bool with_threads = false) {
    Pull pull;
    pull.id = id;
    pull.after = after;
    pull.with_threads = with_threads;
    Operation operation;
    operation.verb = Verb::pull;
    operation.body = &pull;
    stage.call(operation);
    EXPECT_EQ(operation.status, Status::ok);
    view = std::move(pull.view);
    std::string text;
    for (const TraceTuple& tuple : view.records)
      text += (text.empty() ? "" : " ") + std::to_string(tuple.words[0]);
    for (const Missing& missing : view.missing)
      text += missing.what + ": " + std::string(to_string(missing.cause));
    return text;
  }

  /// The state of the view's first process, and the detail of the first missing entry.
  [[nodiscard]] RunState state() const { return view.processes.at(0).state; }
  [[nodiscard]] const std::string& detail() const { return view.missing.at(0).detail; }

  TemporaryDirectory directory;
  KilledProcesses killed{directory.path()};
  PlainNames names;
  LocalSegments segments{{"wind", "n1", 0xfeed, directory.path(), std::chrono::nanoseconds(0)}};
  std::unique_ptr<Segment> segment;
  TraceWriter first, second;
  std::uint64_t recorded{0};
  View view;
};

inline constexpr ReadMode newest{};
inline constexpr ReadMode unread{true, 1000};

}  // namespace eventspace::test
