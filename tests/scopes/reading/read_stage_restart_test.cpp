#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/scopes/reading/read_stage_talk.h"

// Reading of processes that are restarted.

namespace eventspace {
namespace {

using test::newest;
using test::unread;

class RestartTest : public test::ReadStageFixture {
 protected:
  void end_process() { segment.reset(); }
};

TEST_F(RestartTest, UnreadEventsOfTheOldRunComeFirst) {
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

TEST_F(RestartTest, LostViewsOfTheOldRunAreReadAgainBeforeTheNewRun) {
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

TEST_F(RestartTest, LostViewsOfTheNewRunAreReadAgainAndTheOldRunIsNot) {
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

TEST_F(RestartTest, EventsOverwrittenInALaterRunAreDiscardedNotEarlier) {
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

TEST_F(RestartTest, OlderRunsAreMappedOnlyWhileTheyHaveReaders) {
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
  std::uint64_t id = 3;  // the last answer of the kernel is used for some milliseconds
  const Deadline patience = Deadline::after(std::chrono::seconds(10));
  while (pull(stage, id, id - 1) != "1" && !patience.passed()) ++id;
  EXPECT_FALSE(patience.passed());
  EXPECT_EQ(pull(stage, id + 1, id), "");
}

TEST_F(RestartTest, AProcessThatReplacedItsOwnSegmentHasLeftTheOlderOne) {
  Segment::Config config = test::small_segment(directory.path());
  const auto [file, content] = [&config] {
    Segment before(config);
    TraceWriter writer = before.writer(0);
    test::record(writer, 1);
    test::record(writer, 2);
    return std::pair(before.path(), test::content_of(before.path()));
  }();
  test::write_file(file,
                   content);  // as after an exec: the process runs, and its first segment was not closed
  ReadStage stage = reading({true, 1});
  EXPECT_EQ(pull(stage, 1, 0), "1");
  start_process();
  record(1);
  EXPECT_EQ(pull(stage, 2, 1), "2");
  EXPECT_EQ(pull(stage, 3, 2), "1");
}

TEST_F(RestartTest, ANewerFileThatIsRefusedIsNamedAndTheOlderOneRead) {
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
