#include "scopes/read_stage.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/scopes/scope_talk.h"
#include "tests/tuplespace/segment_talk.h"

namespace eventspace {
namespace {

/// Process p0 (see small_segment: trace elements 3 and 5, keeping four and two), and a stage that reads both.
class ReadStageTest : public testing::Test {
 protected:
  void start_process() {
    segment.reset();
    segment = std::make_unique<Segment>(test::small_segment(directory.path()));
    first = segment->writer(0);
    second = segment->writer(1);
    recorded = 0;
  }
  void record(int count) {
    for (int i = 0; i < count; ++i) test::record(first, ++recorded);
  }
  ReadStage reading(ReadMode mode, std::vector<SourceRef> sources = {{3, 0}, {5, 0}}) {
    return {sources, mode, segments, names};
  }
  std::string pull(Stage& stage, std::uint64_t id, std::uint64_t after, bool with_threads = false) {
    Pull pull;
    pull.id = id;
    pull.after = after;
    pull.with_threads = with_threads;
    Operation operation;
    operation.verb = Verb::pull;
    operation.pull = &pull;
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

  test::TemporaryDirectory directory;
  test::PlainNames names;
  LocalSegments segments{{"wind", "n1", 0xfeed, directory.path(), std::chrono::nanoseconds(0)}};
  std::unique_ptr<Segment> segment;
  TraceWriter first, second;
  std::uint64_t recorded{0};
  View view;
};

constexpr ReadMode newest{};
constexpr ReadMode unread{true, 1000};

TEST_F(ReadStageTest, NewestYieldsTheNewestOfEachAndWhatIsInFlight) {
  start_process();
  record(3);
  test::begin_pattern(second, 1);
  ReadStage stage = reading(newest);
  EXPECT_EQ(pull(stage, 1, 0), "3 1");
  EXPECT_TRUE(decode(view.records[1]).in_flight());
  EXPECT_EQ(pull(stage, 2, 1), "3 1");
  EXPECT_EQ(view.sources_read, 2u);
}

TEST_F(ReadStageTest, UnreadYieldsEachEventOnce) {
  start_process();
  record(3);
  ReadStage stage = reading(unread);
  EXPECT_EQ(pull(stage, 1, 0), "1 2 3");
  EXPECT_EQ(pull(stage, 2, 1), "");
  record(1);
  EXPECT_EQ(pull(stage, 3, 2), "4");
}

TEST_F(ReadStageTest, WhatDidNotArriveIsReadAgain) {
  start_process();
  record(2);
  ReadStage stage = reading(unread);
  EXPECT_EQ(pull(stage, 1, 0), "1 2");
  record(1);
  EXPECT_EQ(pull(stage, 2, 0), "1 2 3");
  EXPECT_EQ(pull(stage, 3, 2), "");
}

TEST_F(ReadStageTest, ABatchLeavesTheRestForTheNextPull) {
  start_process();
  record(4);
  ReadStage stage = reading({true, 3});
  EXPECT_EQ(pull(stage, 1, 0), "1 2 3");
  EXPECT_EQ(pull(stage, 2, 1), "4");
}

TEST_F(ReadStageTest, WhatWentBeforeTheFirstLookIsEarlierAndLaterOnesAreDiscarded) {
  start_process();
  record(10);
  ReadStage stage = reading(unread);
  EXPECT_EQ(pull(stage, 1, 0), "7 8 9 10");
  EXPECT_EQ(view.loss.earlier, 6u);
  EXPECT_EQ(view.loss.discarded, 0u);
  record(6);
  EXPECT_EQ(pull(stage, 2, 1), "13 14 15 16");
  EXPECT_EQ(view.loss.discarded, 2u);
}

TEST_F(ReadStageTest, WhatWentBeforeAFirstLookWhoseViewWasLostIsStillEarlier) {
  start_process();
  record(10);
  ReadStage stage = reading(unread);
  pull(stage, 1, 0);
  EXPECT_EQ(pull(stage, 2, 0), "7 8 9 10");
  EXPECT_EQ(view.loss.earlier, 6u);
  EXPECT_EQ(view.loss.discarded, 0u);
}

TEST_F(ReadStageTest, AProcessStartedAnewIsReadFromItsBeginning) {
  start_process();
  record(3);
  ReadStage stage = reading(unread);
  EXPECT_EQ(pull(stage, 1, 0), "1 2 3");
  const std::filesystem::path old = segment->path();
  const std::vector<char> content = test::content_of(old);
  start_process();
  test::write_file(old.string() + "1", content);  // what a process with another id left
  record(1);
  LocalSegments fresh({"wind", "n1", 0xfeed, directory.path(), std::chrono::nanoseconds(0)});
  ReadStage again({{3, 0}}, unread, fresh, names);
  EXPECT_EQ(pull(again, 1, 0), "1");
}

TEST_F(ReadStageTest, AProcessWithoutSegmentIsNamed) {
  ReadStage stage = reading(newest);
  EXPECT_EQ(pull(stage, 1, 0), "process p0: no segment");
  EXPECT_EQ(view.missing[0].node, "n1");
  EXPECT_EQ(view.missing[0].sources, 2u);
  start_process();
  record(1);
  EXPECT_EQ(pull(stage, 2, 1), "1");
}

TEST_F(ReadStageTest, ASegmentThatIsRefusedIsNamedWithTheReason) {
  start_process();
  const std::vector<char> content = test::content_of(segment->path());
  const std::filesystem::path file = segment->path();
  segment.reset();
  test::write_file(file, {content.begin(), content.begin() + 700});
  ReadStage stage = reading(newest);
  EXPECT_EQ(pull(stage, 1, 0), "process p0: refused");
  EXPECT_NE(view.missing[0].detail.find("truncated"), std::string::npos);
  std::filesystem::remove(file);
  EXPECT_EQ(pull(stage, 2, 1), "process p0: no segment");
}

TEST_F(ReadStageTest, ASegmentOfAnotherPathmapIsRefused) {
  Segment::Config other = test::small_segment(directory.path());
  other.identity.fingerprint = 1;
  const Segment made(other);
  ReadStage stage = reading(newest);
  EXPECT_EQ(pull(stage, 1, 0), "process p0: refused");
  EXPECT_NE(view.missing[0].detail.find("another pathmap"), std::string::npos);
}

TEST_F(ReadStageTest, ASegmentTruncatedWhileMappedIsRefused) {
  start_process();
  ReadStage stage = reading(newest);
  pull(stage, 1, 0);
  ASSERT_EQ(::truncate(segment->path().c_str(), 600), 0);
  EXPECT_EQ(pull(stage, 2, 1), "process p0: refused");
}

TEST_F(ReadStageTest, ATraceElementThatIsNotInTheSegmentIsNamed) {
  start_process();
  record(1);
  ReadStage stage = reading(newest, {{3, 0}, {99, 0}});
  EXPECT_EQ(pull(stage, 1, 0), "1process p0: refused");
  EXPECT_EQ(view.missing[0].sources, 1u);
}

TEST_F(ReadStageTest, ItReportsProcessAndThreads) {
  start_process();
  segment->bind_thread(1, ::gettid());
  ReadStage stage = reading(newest);
  pull(stage, 1, 0, true);
  ASSERT_EQ(view.processes.size(), 1u);
  const ProcessReport& report = view.processes[0];
  EXPECT_EQ(report.process, 0u);
  EXPECT_EQ(report.pid, ::getpid());
  EXPECT_EQ(report.state, RunState::running);
  ASSERT_EQ(report.threads.size(), 2u);
  EXPECT_EQ(report.threads[0].thread, 7u);
  EXPECT_EQ(report.threads[0].tid, 0);
  EXPECT_EQ(report.threads[1].tid, ::gettid());
  EXPECT_EQ(report.threads[1].state, 'R');
  pull(stage, 2, 1);
  EXPECT_TRUE(view.processes[0].threads.empty());
}

TEST_F(ReadStageTest, AnOrderlyEndIsToldApartThoughAnotherProcessSharesTheId) {
  start_process();
  Segment::Config config = test::small_segment(directory.path());
  config.identity.process = "p1";
  const Segment other(config);
  ReadStage stage = reading(newest, {{3, 0}, {3, 1}});
  pull(stage, 1, 0);
  segment.reset();
  pull(stage, 2, 1);
  ASSERT_EQ(view.processes.size(), 2u);
  EXPECT_EQ(view.processes[0].state, RunState::ended);
  EXPECT_EQ(view.processes[1].state, RunState::running);
}

}  // namespace
}  // namespace eventspace
