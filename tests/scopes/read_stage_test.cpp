#include "scopes/read_stage.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "tests/scopes/process_talk.h"

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
  ReadStage reading(ReadMode mode, const std::vector<SourceRef>& sources = {{3, 0}, {5, 0}}) {
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

  /// What the view's process was up to, and the text beside the first thing missing.
  [[nodiscard]] RunState state() const { return view.processes.at(0).state; }
  [[nodiscard]] const std::string& detail() const { return view.missing.at(0).detail; }

  test::TemporaryDirectory directory;
  test::KilledProcesses killed{directory.path()};
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

// The trace elements keep four and two; all have as much to say as they keep.
TEST_F(ReadStageTest, OfABoundedPullAllHaveEqualPartsAndTheRestComesNext) {
  start_process();
  record(4);
  test::record(second, 1);
  test::record(second, 2);
  ReadStage stage = reading({true, 1000, 4});
  EXPECT_EQ(pull(stage, 1, 0), "1 2 1 2");
  EXPECT_EQ(pull(stage, 2, 1), "3 4");
  EXPECT_EQ(view.loss, Loss{});
}

TEST_F(ReadStageTest, WhatABusyOneMayHaveIsWhatAnIdleOneLeaves) {
  start_process();
  record(4);
  ReadStage stage = reading({true, 1000, 3});
  EXPECT_EQ(pull(stage, 1, 0), "1 2 3");
  EXPECT_EQ(pull(stage, 2, 1), "4");
}

TEST_F(ReadStageTest, APartOfABoundedPullThatDidNotArriveIsReadAgain) {
  start_process();
  record(4);
  ReadStage stage = reading({true, 1000, 2});
  EXPECT_EQ(pull(stage, 1, 0), "1 2");
  EXPECT_EQ(pull(stage, 2, 0), "1 2");
  EXPECT_EQ(pull(stage, 3, 2), "3 4");
}

TEST_F(ReadStageTest, ABoundOfOneReachesEachInTurn) {
  start_process();
  record(2);
  test::record(second, 1);
  test::record(second, 2);
  ReadStage stage = reading({true, 1000, 1});
  EXPECT_EQ(pull(stage, 1, 0), "1");
  EXPECT_EQ(pull(stage, 2, 1), "1");
  EXPECT_EQ(pull(stage, 3, 2), "2");
  EXPECT_EQ(pull(stage, 4, 3), "2");
  EXPECT_EQ(pull(stage, 5, 4), "");
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

// What Crew's threads do, in threads that ThreadSanitizer sees.
TEST_F(ReadStageTest, StagesThatShareSegmentsMayFinishInAsManyThreadsWhileTheProcessRecords) {
  start_process();
  std::vector<std::unique_ptr<ReadStage>> stages;
  for (int i = 0; i < 4; ++i) stages.push_back(std::make_unique<ReadStage>(reading(unread)));
  std::vector<std::uint64_t> next(stages.size(), 1);
  std::jthread recording([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) record(1);
  });
  for (std::uint64_t id = 1; id <= 200; ++id) {
    std::vector<Pull> pulls(stages.size());
    std::vector<Operation> operations(stages.size());
    for (std::size_t i = 0; i < stages.size(); ++i) {
      pulls[i].id = id;
      pulls[i].after = id - 1;
      pulls[i].with_threads = true;
      operations[i].verb = Verb::pull;
      operations[i].pull = &pulls[i];
      stages[i]->begin(operations[i]);
    }
    std::vector<std::jthread> finishing;
    for (std::size_t i = 0; i < stages.size(); ++i) {
      finishing.emplace_back([&, i] { stages[i]->finish(operations[i]); });
    }
    finishing.clear();
    for (std::size_t i = 0; i < stages.size(); ++i) {
      const View& got = pulls[i].view;
      next[i] += got.loss.discarded + got.loss.earlier;
      for (const TraceTuple& tuple : got.records) ASSERT_EQ(tuple.words[0], next[i]++);
      EXPECT_EQ(got.processes.at(0).state, RunState::running);
    }
  }
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

// --- a process that starts anew ---------------------------------------------------------------------

class RestartTest : public ReadStageTest {
 protected:
  void end_process() { segment.reset(); }
};

TEST_F(RestartTest, WhatWasUnreadOfTheOldRunComesFirst) {
  start_process();
  record(2);
  ReadStage stage = reading(unread);
  EXPECT_EQ(pull(stage, 1, 0), "1 2");
  record(2);
  start_process();
  record(1);
  EXPECT_EQ(pull(stage, 2, 1), "3 4");
  EXPECT_EQ(state(), RunState::ended);
  EXPECT_EQ(pull(stage, 3, 2), "1");
  EXPECT_EQ(state(), RunState::running);
  record(1);
  EXPECT_EQ(pull(stage, 4, 3), "2");
  EXPECT_EQ(view.loss, Loss{});
}

TEST_F(RestartTest, OfAKilledProcessAsWell) {
  test::LiveProcess old(test::small_segment(directory.path()), 3);
  ReadStage stage = reading({true, 2});
  EXPECT_EQ(pull(stage, 1, 0), "1 2");
  old.kill();
  const test::LiveProcess anew(test::small_segment(directory.path()), 2);
  EXPECT_EQ(pull(stage, 2, 1), "3");
  EXPECT_EQ(state(), RunState::dead);
  EXPECT_EQ(pull(stage, 3, 2), "1 2");
  EXPECT_EQ(state(), RunState::running);
  EXPECT_EQ(view.processes.at(0).pid, anew.pid());
}

TEST_F(RestartTest, AnOldRunThatWasReadOutIsLeftAtOnce) {
  start_process();
  record(2);
  ReadStage stage = reading(unread);
  EXPECT_EQ(pull(stage, 1, 0), "1 2");
  start_process();
  record(1);
  EXPECT_EQ(pull(stage, 2, 1), "1");
  EXPECT_EQ(state(), RunState::running);
}

TEST_F(RestartTest, ThoughAnotherTraceElementHadNothing) {
  start_process();
  record(1);
  ReadStage stage = reading(unread);
  EXPECT_EQ(pull(stage, 1, 0), "1");
  test::record(second, 1);
  start_process();
  record(1);
  EXPECT_EQ(pull(stage, 2, 1), "1");
  EXPECT_EQ(state(), RunState::ended);
  EXPECT_EQ(pull(stage, 3, 2), "1");
  EXPECT_EQ(state(), RunState::running);
}

TEST_F(RestartTest, WhatDidNotArriveOfTheOldRunIsReadAgainBeforeTheNewOne) {
  start_process();
  record(2);
  ReadStage stage = reading(unread);
  EXPECT_EQ(pull(stage, 1, 0), "1 2");
  start_process();
  record(1);
  EXPECT_EQ(pull(stage, 2, 0), "1 2");
  EXPECT_EQ(pull(stage, 3, 0), "1 2");
  EXPECT_EQ(pull(stage, 4, 3), "1");
}

TEST_F(RestartTest, WhatDidNotArriveOfTheNewRunIsReadAgainAndTheOldOneIsNot) {
  start_process();
  record(2);
  ReadStage stage = reading(unread);
  EXPECT_EQ(pull(stage, 1, 0), "1 2");
  record(1);
  start_process();
  record(1);
  EXPECT_EQ(pull(stage, 2, 1), "3");
  EXPECT_EQ(pull(stage, 3, 2), "1");
  record(1);
  EXPECT_EQ(pull(stage, 4, 2), "1 2");
  EXPECT_EQ(pull(stage, 5, 4), "");
}

TEST_F(RestartTest, ABatchSmallerThanTheRestTakesMorePulls) {
  start_process();
  record(1);
  ReadStage stage = reading({true, 2});
  EXPECT_EQ(pull(stage, 1, 0), "1");
  record(3);
  start_process();
  record(3);
  EXPECT_EQ(pull(stage, 2, 1), "2 3");
  EXPECT_EQ(pull(stage, 3, 2), "4");
  EXPECT_EQ(pull(stage, 4, 3), "1 2");
  EXPECT_EQ(pull(stage, 5, 4), "3");
}

TEST_F(RestartTest, SeveralRestartsBetweenTwoPullsAreReadInTheirOrder) {
  start_process();
  record(2);
  ReadStage stage = reading(unread);
  EXPECT_EQ(pull(stage, 1, 0), "1 2");
  record(1);
  end_process();
  killed.leave(2);
  killed.leave(0);
  killed.leave(4);
  start_process();
  record(1);
  EXPECT_EQ(pull(stage, 2, 1), "3");
  EXPECT_EQ(pull(stage, 3, 2), "1 2");
  EXPECT_EQ(pull(stage, 4, 3), "1 2 3 4");
  EXPECT_EQ(pull(stage, 5, 4), "1");
  EXPECT_EQ(state(), RunState::running);
}

TEST_F(RestartTest, TheFirstPullTakesUpTheNewestRun) {
  killed.leave(3);
  killed.leave(2);
  ReadStage stage = reading(unread);
  EXPECT_EQ(pull(stage, 1, 0), "1 2");
}

TEST_F(RestartTest, ARunThatBeganAfterTheFirstPullIsReadThoughItEndedBeforeTheSecond) {
  ReadStage stage = reading(unread);
  EXPECT_EQ(pull(stage, 1, 0), "process p0: no segment");
  killed.leave(2);
  killed.leave(1);
  EXPECT_EQ(pull(stage, 2, 1), "1 2");
  EXPECT_EQ(pull(stage, 3, 2), "1");
}

TEST_F(RestartTest, WhatWasOverwrittenInARunThatFollowedIsDiscardedNotEarlier) {
  start_process();
  ReadStage stage = reading(unread);
  pull(stage, 1, 0);
  start_process();
  record(10);
  EXPECT_EQ(pull(stage, 2, 1), "7 8 9 10");
  EXPECT_EQ(view.loss.discarded, 6u);
  EXPECT_EQ(view.loss.earlier, 0u);
}

TEST_F(RestartTest, TheNewestEventsAreThoseOfTheNewestRunAtOnce) {
  start_process();
  record(2);
  ReadStage stage = reading(newest);
  EXPECT_EQ(pull(stage, 1, 0), "2");
  record(1);
  start_process();
  record(1);
  EXPECT_EQ(pull(stage, 2, 1), "1");
  EXPECT_EQ(state(), RunState::running);
  EXPECT_EQ(view.processes.size(), 1u);
}

TEST_F(RestartTest, OlderRunsAreMappedOnlyForWhoHasYetToReadThem) {
  killed.leave(2);
  ReadStage latest = reading(newest);
  ReadStage quick = reading(unread);
  ReadStage slow = reading(unread);
  EXPECT_EQ(pull(slow, 1, 0), "1 2");
  for (std::uint64_t id = 1; id <= 3; ++id) {
    pull(latest, id, id - 1);
    EXPECT_EQ(pull(quick, id, id - 1), "1 2");
    killed.leave(2);
  }
  EXPECT_EQ(test::mapped_files(directory.path()), 3u);
  EXPECT_EQ(pull(slow, 2, 1), "1 2");
  EXPECT_EQ(pull(slow, 3, 2), "1 2");
  EXPECT_EQ(pull(slow, 4, 3), "1 2");
  EXPECT_EQ(pull(slow, 5, 4), "");
  EXPECT_EQ(pull(quick, 4, 3), "1 2");
  EXPECT_EQ(test::mapped_files(directory.path()), 1u);
}

TEST_F(RestartTest, RunsThatWereGivenUpAreNamedUntilAViewThatSaysSoHasArrived) {
  killed.leave(1);
  ReadStage stage = reading(unread);
  EXPECT_EQ(pull(stage, 1, 0), "1");
  for (std::uint64_t run = 0; run < generations_kept + 3; ++run) killed.leave(2);
  EXPECT_EQ(pull(stage, 2, 1), "1 2process p0: restarted");
  EXPECT_NE(detail().find("3 earlier runs"), std::string::npos) << detail();
  EXPECT_EQ(view.missing[0].sources, 2u);
  EXPECT_EQ(view.missing[0].node, "n1");
  EXPECT_EQ(pull(stage, 3, 1), "1 2process p0: restarted");
  for (std::uint64_t id = 4; id < 4 + generations_kept; ++id) EXPECT_EQ(pull(stage, id, id - 1), "1 2") << id;
  EXPECT_EQ(pull(stage, 30, 3 + generations_kept), "");
}

TEST_F(RestartTest, RunsThatAreGivenUpWhileTheNameOfOthersIsUnderWayAreNamedToo) {
  killed.leave(1);
  ReadStage stage = reading(unread);
  EXPECT_EQ(pull(stage, 1, 0), "1");
  for (std::uint64_t run = 0; run < generations_kept + 1; ++run) killed.leave(1);
  EXPECT_EQ(pull(stage, 2, 1), "1process p0: restarted");
  EXPECT_NE(detail().find("1 earlier run "), std::string::npos) << detail();
  killed.leave(1);
  EXPECT_EQ(pull(stage, 3, 1), "1process p0: restarted");
  EXPECT_NE(detail().find("2 earlier runs"), std::string::npos) << detail();
  killed.leave(1);
  EXPECT_EQ(pull(stage, 4, 3), "1process p0: restarted");
  EXPECT_NE(detail().find("1 earlier run "), std::string::npos) << detail();
}

TEST_F(RestartTest, ATruncatedOldRunIsNamedAndLeftForTheNext) {
  const std::filesystem::path file = killed.leave(3);
  ReadStage stage = reading({true, 1});
  EXPECT_EQ(pull(stage, 1, 0), "1");
  std::filesystem::resize_file(file, 0);
  EXPECT_EQ(pull(stage, 2, 1), "process p0: refused");
  killed.leave(1);
  EXPECT_EQ(pull(stage, 3, 2), "1process p0: restarted");
  EXPECT_NE(detail().find("truncated"), std::string::npos) << detail();
  EXPECT_EQ(pull(stage, 4, 3), "");
}

TEST_F(RestartTest, ADamagedRingDoesNotHoldUpTheNextRun) {
  const std::filesystem::path file = killed.leave(1);
  std::vector<char> bytes = test::content_of(file);
  segment_layout::Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  std::memset(bytes.data() + header.rings_offset, 0xff, sizeof(std::uint64_t));  // the head of the first ring
  test::write_file(file, bytes);
  ReadStage stage = reading(unread);
  EXPECT_EQ(pull(stage, 1, 0), "");
  killed.leave(2);
  EXPECT_EQ(pull(stage, 2, 1), "1 2");
}

TEST_F(RestartTest, AProcessThatStillRunsIsReadOnAndTheNewerOneIsNamedUntilItEnds) {
  test::LiveProcess older(test::small_segment(directory.path()), 2);
  ReadStage stage = reading(unread);
  EXPECT_EQ(pull(stage, 1, 0), "1 2");
  start_process();
  record(1);
  EXPECT_EQ(pull(stage, 2, 1), "process p0: restarted");
  EXPECT_NE(detail().find("pid " + std::to_string(::getpid())), std::string::npos) << detail();
  EXPECT_NE(detail().find("pid " + std::to_string(older.pid())), std::string::npos) << detail();
  EXPECT_EQ(view.processes.at(0).pid, older.pid());
  ReadStage latest = reading(newest);
  EXPECT_EQ(pull(latest, 1, 0), "1");
  older.kill();
  std::uint64_t id = 3;  // what the kernel said a moment ago is good for some milliseconds
  const Deadline patience = Deadline::after(std::chrono::seconds(10));
  while (pull(stage, id, id - 1) != "1" && !patience.passed()) ++id;
  EXPECT_FALSE(patience.passed());
  EXPECT_EQ(pull(stage, id + 1, id), "");
}

TEST_F(RestartTest, AProcessThatReplacedItsOwnSegmentHasLeftTheOlderOne) {
  Segment::Config config = test::small_segment(directory.path());
  Segment before(config);  // as before an exec: it runs, and its first segment was never ended
  TraceWriter writer = before.writer(0);
  test::record(writer, 1);
  test::record(writer, 2);
  ReadStage stage = reading({true, 1});
  EXPECT_EQ(pull(stage, 1, 0), "1");
  start_process();
  record(1);
  EXPECT_EQ(pull(stage, 2, 1), "2");
  EXPECT_EQ(pull(stage, 3, 2), "1");
}

TEST_F(RestartTest, ANewerFileThatIsRefusedIsNamedBesideWhatIsRead) {
  killed.leave(1);
  ReadStage stage = reading(unread);
  EXPECT_EQ(pull(stage, 1, 0), "1");
  killed.leave(1, [](Segment::Config& config) { config.identity.fingerprint = 1; });
  EXPECT_EQ(pull(stage, 2, 1), "process p0: refused");
  EXPECT_NE(detail().find("another pathmap"), std::string::npos) << detail();
  EXPECT_EQ(state(), RunState::dead);
}

}  // namespace
}  // namespace eventspace
