#include "scopes/reading/followed_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scopes/reading/process_talk.h"

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Process p0, whose runs the test makes, followed by a scope of its trace elements 3 and 5. Events are read
/// only to be skipped.
class FollowedProcessTest : public testing::Test {
 protected:
  FollowedProcessTest() {
    process.sources().add(3);
    process.sources().add(5);
  }
  /// Performs one pull and returns the pid of the run that is read, or 0.
  std::int32_t pull(bool last_arrived = true) {
    process.settle(last_arrived);
    process.find_unread();
    view.clear();
    const bool readable = process.check();
    process.report_missing(view);
    if (readable) {
      read_all();
      process.report_process({}, view);
    }
    process.report_positions(view);
    return readable ? process.segment().pid() : 0;
  }
  void read_all() {
    Pull all;
    for (TraceCursor& cursor : process.sources().cursors()) cursor.set_share(1000);
    process.sources().read_unread(all);
  }
  [[nodiscard]] bool followed() const { return view.processes.at(0).followed; }
  static std::int32_t pid_of(const std::filesystem::path& file) { return SegmentView(file).pid(); }
  static ReadPosition position_in(const std::filesystem::path& file, std::uint64_t sequence) {
    const SegmentView seen(file);
    return {3, 0, seen.pid(), seen.created_realtime_ns(), sequence};
  }

  test::TemporaryDirectory directory;
  test::KilledProcesses killed{directory.path()};
  test::PlainNames names;
  LocalSegments segments{{"wind", "n1", 0xfeed, directory.path(), std::chrono::nanoseconds(0)}};
  FollowedProcess process{0, segments, names};
  View view;
};

TEST_F(FollowedProcessTest, TakesUpTheNewestRunAndThenEachThatFollows) {
  killed.leave(1);
  const auto second = pid_of(killed.leave(1));
  EXPECT_EQ(pull(), second);
  EXPECT_FALSE(followed());
  const auto third = pid_of(killed.leave(1));
  const auto fourth = pid_of(killed.leave(1));
  EXPECT_EQ(pull(), third);
  EXPECT_TRUE(followed());
  EXPECT_EQ(pull(), fourth);
  EXPECT_TRUE(followed());
}

TEST_F(FollowedProcessTest, StaysWithARunUntilItsLastViewArrived) {
  const auto first = pid_of(killed.leave(1));
  EXPECT_EQ(pull(), first);
  const auto second = pid_of(killed.leave(1));
  EXPECT_EQ(pull(false), first);
  EXPECT_EQ(pull(), second);
}

TEST_F(FollowedProcessTest, ForTheNewestEventsItLeavesARunAtOnce) {
  killed.leave(1);
  process.find_newest();
  EXPECT_TRUE(process.check());
  process.release();
  const auto second = pid_of(killed.leave(1));
  process.find_newest();
  EXPECT_TRUE(process.check());
  EXPECT_EQ(process.segment().pid(), second);
}

TEST_F(FollowedProcessTest, PositionsAreThoseThatMovedAndAllOfARunThatIsNew) {
  const auto first = pid_of(killed.leave(2));
  (void)pull();
  ASSERT_THAT(view.positions, SizeIs(2));
  EXPECT_EQ(view.positions[0].trace, 3u);
  EXPECT_EQ(view.positions[0].pid, first);
  EXPECT_EQ(view.positions[0].sequence, 2u);
  EXPECT_EQ(view.positions[1].sequence, 0u);
  (void)pull(false);
  EXPECT_THAT(view.positions, SizeIs(2)) << "the view that had them was lost";
  (void)pull();
  EXPECT_THAT(view.positions, IsEmpty());
}

TEST_F(FollowedProcessTest, ThatThereIsNoRunYetIsAPositionToo) {
  EXPECT_EQ(pull(), 0);
  EXPECT_THAT(view.positions, ElementsAre(ReadPosition{3, 0, 0, 0, 0}, ReadPosition{5, 0, 0, 0, 0}));
  ASSERT_THAT(view.missing, SizeIs(1));
  EXPECT_EQ(view.missing[0], (Missing{"n1", "process p0", MissingCause::no_segment, "", 2}));
  const auto first = pid_of(killed.leave(1));
  EXPECT_EQ(pull(), first);
  EXPECT_TRUE(followed());
}

TEST_F(FollowedProcessTest, ResumesInTheRunThatAnotherReaderHadRead) {
  const auto first = killed.leave(3);
  process.resume_after(position_in(first, 2));
  const auto second = pid_of(killed.leave(1));
  EXPECT_EQ(pull(), pid_of(first));
  EXPECT_TRUE(followed());
  EXPECT_EQ(process.sources().cursors()[0].sequence(), 3u);
  EXPECT_EQ(pull(), second);
}

TEST_F(FollowedProcessTest, ResumesInTheRunAfterItWhenThatOneIsGone) {
  const auto gone = killed.leave(3);
  process.resume_after(position_in(gone, 2));
  std::filesystem::remove(gone);
  const auto second = pid_of(killed.leave(1));
  EXPECT_EQ(pull(), second);
  EXPECT_FALSE(followed());
}

TEST_F(FollowedProcessTest, DoesNotReadARunThatIsOlderThanTheOneToResume) {
  killed.leave(1);
  const auto gone = killed.leave(1);
  process.resume_after(position_in(gone, 1));
  std::filesystem::remove(gone);
  EXPECT_EQ(pull(), 0);
  EXPECT_EQ(view.missing.at(0).cause, MissingCause::no_segment);
  EXPECT_THAT(view.positions, IsEmpty());
  const auto third = pid_of(killed.leave(1));
  EXPECT_EQ(pull(), third);
}

TEST_F(FollowedProcessTest, ATruncatedRunIsNamedAndLeftForTheNext) {
  const auto first = killed.leave(3);
  (void)pull();
  std::filesystem::resize_file(first, 0);
  EXPECT_EQ(pull(), 0);
  EXPECT_EQ(view.missing.at(0).cause, MissingCause::refused);
  const auto second = pid_of(killed.leave(1));
  EXPECT_EQ(pull(), second);
  EXPECT_EQ(view.missing.at(0).cause, MissingCause::restarted);
  EXPECT_THAT(view.missing.at(0).detail, HasSubstr("1 earlier run "));
  (void)pull(false);
  EXPECT_THAT(view.missing, SizeIs(1)) << "the view that named it was lost";
  (void)pull();
  EXPECT_THAT(view.missing, IsEmpty());
}

TEST_F(FollowedProcessTest, TraceElementsThatTheRunDoesNotHaveAreNamed) {
  process.sources().add(99);
  killed.leave(1);
  (void)pull();
  ASSERT_THAT(view.missing, SizeIs(1));
  EXPECT_EQ(view.missing[0].sources, 1u);
  EXPECT_THAT(view.missing[0].detail, HasSubstr("does not have these trace elements"));
}

}  // namespace
}  // namespace eventspace
