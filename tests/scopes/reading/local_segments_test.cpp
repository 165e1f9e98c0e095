#include "scopes/reading/local_segments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scopes/reading/process_talk.h"
#include "tests/tuplespace/system/few_descriptors.h"

namespace eventspace {
namespace {

using test::KilledProcesses;
using test::LiveProcess;
using testing::HasSubstr;
using testing::IsEmpty;
using Held = std::shared_ptr<const Generation>;

constexpr auto always = std::chrono::nanoseconds(0);

/// A directory for the segments of session wind on node n1, and a LocalSegments that reads it at each call.
class LocalSegmentsTest : public testing::Test {
 protected:
  [[nodiscard]] LocalSegments reader(std::chrono::nanoseconds rescan = always) const {
    return LocalSegments({"wind", "n1", 0xfeed, directory.path(), rescan});
  }
  [[nodiscard]] Segment::Config config() const { return test::small_segment(directory.path()); }

  std::int64_t number(const std::string& process = "p0") { return segments.find(process).newest->number; }
  std::string refusal(const std::string& process = "p0") { return segments.find(process).refusal; }
  /// Returns the number of events that the generation recorded, by which tests identify it.
  static std::uint64_t events_in(const Held& held) {
    return held->segment == nullptr ? 0 : held->segment->traces()[0].reader.published();
  }
  /// Returns the numbers and events of `held` and all later generations: "1:30 2:31".
  static std::string chain(Held held) {
    std::string text;
    for (; held != nullptr; held = held->newer) {
      text +=
          (text.empty() ? "" : " ") + std::to_string(held->number) + ":" + std::to_string(events_in(held));
    }
    return text;
  }
  [[nodiscard]] std::size_t mapped() const { return test::mapped_files(directory.path()); }

  test::TemporaryDirectory directory;
  KilledProcesses killed{directory.path()};
  LocalSegments segments = reader();
};

// --- finding a segment -----------------------------------------------------------------------------

TEST_F(LocalSegmentsTest, TheSegmentOfAProcessIsFound) {
  const Segment segment(config());
  const auto found = segments.find("p0");
  EXPECT_EQ(found.newest->number, 1);
  ASSERT_TRUE(found.newest->readable());
  EXPECT_EQ(found.newest->segment->pid(), ::getpid());
  EXPECT_EQ(found.newest->newer, nullptr);
  EXPECT_EQ(found.refusal, "");
}

TEST_F(LocalSegmentsTest, AProcessWithoutASegmentIsBeforeItsFirstGeneration) {
  const auto found = segments.find("p0");
  EXPECT_EQ(found.newest->number, 0);
  EXPECT_FALSE(found.newest->readable());
  EXPECT_EQ(found.refusal, "");
}

TEST_F(LocalSegmentsTest, ADirectoryThatCannotBeReadIsNoEmptyOne) {
  if (!test::FewDescriptors::possible) GTEST_SKIP() << test::FewDescriptors::why_not;
  const Segment segment(config());
  {
    const test::FewDescriptors none;
    EXPECT_EQ(number(), 0);
    EXPECT_THAT(refusal(), AllOf(HasSubstr(directory.path().string()), HasSubstr("Too many open files")));
  }
  EXPECT_EQ(number(), 1);
  const test::FewDescriptors none;
  EXPECT_EQ(number(), 1);
  EXPECT_EQ(refusal(), "") << "the segment that is known is as readable as before";
  EXPECT_EQ(segments.find_since("p0", 0).first->number, 1) << "and reading goes on there";
}

TEST_F(LocalSegmentsTest, ProcessesSessionsAndNodesAreDistinguished) {
  Segment::Config others[] = {config(), config(), config()};
  others[0].identity.process = "p1";
  others[1].identity.session = "storm";
  others[2].identity.node = "n2";
  const Segment p1(others[0]), storm(others[1]), n2(others[2]);
  EXPECT_EQ(number("p0"), 0);
  EXPECT_EQ(number("p1"), 1);
  LocalSegments of_all_nodes({"wind", "", 0xfeed, directory.path(), always});
  EXPECT_EQ(of_all_nodes.find("p0").newest->segment->identity().node, "n2");
}

TEST_F(LocalSegmentsTest, NamesThatAreEscapedInFileNamesAreFound) {
  Segment::Config odd = config();
  odd.identity.process = "a/b.c %41";
  const Segment segment(odd);
  EXPECT_EQ(number("a/b.c %41"), 1);
  EXPECT_EQ(number("a/b.c A"), 0);
}

TEST_F(LocalSegmentsTest, TheDirectoryIsLookedAtOnlyWhenTheIntervalIsOver) {
  LocalSegments rare = reader(std::chrono::hours(1));
  EXPECT_EQ(rare.find("p0").newest->number, 0);
  const Segment segment(config());
  EXPECT_EQ(rare.find("p0").newest->number, 0);
  EXPECT_EQ(number(), 1);
}

// --- refusing a segment ----------------------------------------------------------------------------

TEST_F(LocalSegmentsTest, AnExplicitLookDoesNotDelayTheNextOne) {
  LocalSegments rare = reader(std::chrono::hours(1));
  rare.look();
  const Segment segment(config());
  EXPECT_EQ(rare.find("p0").newest->number, 1);
}

TEST_F(LocalSegmentsTest, ASegmentOfAnotherPathmapIsRefused) {
  Segment::Config other = config();
  other.identity.fingerprint = 1;
  const Segment segment(other);
  EXPECT_EQ(number(), 0);
  EXPECT_THAT(refusal(), HasSubstr(segment.path().string()));
  EXPECT_THAT(refusal(), HasSubstr("another pathmap"));
}

TEST_F(LocalSegmentsTest, AFileThatOthersMayUseIsRefusedUntilTheyMayNot) {
  const Segment segment(config());
  std::filesystem::permissions(segment.path(), std::filesystem::perms(0644));
  EXPECT_EQ(number(), 0);
  EXPECT_THAT(refusal(), HasSubstr("other users have access to it"));
  std::filesystem::permissions(segment.path(), std::filesystem::perms(0600));
  EXPECT_EQ(number(), 1);
  EXPECT_EQ(refusal(), "");
}

TEST_F(LocalSegmentsTest, AFileThatWasTruncatedBeforeItWasFoundIsRefused) {
  std::filesystem::resize_file(killed.leave(1), 600);
  EXPECT_EQ(number(), 0);
  EXPECT_THAT(refusal(), HasSubstr("truncated"));
}

TEST_F(LocalSegmentsTest, ASegmentThatIsTruncatedWhileMappedIsNotReadable) {
  const auto file = killed.leave(1);
  ASSERT_TRUE(segments.find("p0").newest->readable());
  std::filesystem::resize_file(file, 0);
  const auto found = segments.find("p0");
  EXPECT_EQ(found.newest->number, 1);
  EXPECT_FALSE(found.newest->readable());
}

TEST_F(LocalSegmentsTest, ANewerFileThatIsRefusedIsReportedWithTheOlderOne) {
  killed.leave(3);
  ASSERT_EQ(number(), 1);
  killed.leave(1, [](Segment::Config& made) { made.identity.fingerprint = 1; });
  EXPECT_EQ(number(), 1);
  EXPECT_THAT(refusal(), HasSubstr("another pathmap"));
}

TEST_F(LocalSegmentsTest, AnOlderFileThatIsRefusedIsNoMatter) {
  killed.leave(1, [](Segment::Config& made) { made.identity.fingerprint = 1; });
  killed.leave(3);
  EXPECT_EQ(number(), 1);
  EXPECT_EQ(refusal(), "");
}

TEST_F(LocalSegmentsTest, AnUnreadableFileIsReportedUnlessItsProcessIsKnownToRun) {
  test::write_file(directory.path() / KilledProcesses::name_of("p0", 17), {'o', 'd', 'd'});
  killed.leave(1);
  EXPECT_EQ(number(), 1);
  EXPECT_THAT(refusal(), HasSubstr("truncated"));
  const Segment running(config());
  EXPECT_EQ(number(), 2);
  EXPECT_EQ(refusal(), "");
}

// --- the newest segment ----------------------------------------------------------------------------

TEST_F(LocalSegmentsTest, OfSeveralTheOneMadeLastIsTheNewestAndTheOthersAreNotKept) {
  killed.leave(1);
  killed.leave(
      2, [](Segment::Config&) {}, [](auto& header) { header.created_realtime_ns += 1'000'000'000'000; });
  killed.leave(3);
  EXPECT_EQ(events_in(segments.find("p0").newest), 2u);
  EXPECT_EQ(mapped(), 1u);
}

TEST_F(LocalSegmentsTest, AProcessThatRunsIsNewerThanOneThatIsGoneThoughTheClockWasSetBack) {
  const auto tomorrow = [](auto& header) { header.created_realtime_ns += 86'400'000'000'000; };
  killed.leave(
      1, [](Segment::Config&) {}, tomorrow);
  ASSERT_EQ(events_in(segments.find("p0").newest), 1u);
  const LiveProcess process(config(), 2);
  EXPECT_EQ(events_in(segments.find("p0").newest), 2u);
  EXPECT_EQ(number(), 2);
  killed.leave(
      3, [](Segment::Config&) {}, tomorrow);
  EXPECT_EQ(events_in(segments.find("p0").newest), 2u);
  LocalSegments later = reader();
  EXPECT_EQ(events_in(later.find("p0").newest), 2u);
}

TEST_F(LocalSegmentsTest, ACopyOfASegmentIsNoRestart) {
  const auto file = killed.leave(1);
  EXPECT_EQ(number(), 1);
  test::write_file(file.string() + "1", test::content_of(file));
  EXPECT_EQ(number(), 1);
  LocalSegments later = reader();
  EXPECT_EQ(later.find("p0").newest->number, 1);
}

// --- restarts --------------------------------------------------------------------------------------

TEST_F(LocalSegmentsTest, AnotherStartIsAnotherGeneration) {
  killed.leave(1);
  const Held first = segments.find("p0").newest;
  killed.leave(2);
  EXPECT_EQ(number(), 2);
  EXPECT_EQ(chain(first), "1:1 2:2");
  EXPECT_EQ(number(), 2);
}

TEST_F(LocalSegmentsTest, ASegmentOfTheSameNameIsAnotherGeneration) {
  auto segment = std::make_unique<Segment>(config());
  const Held first = segments.find("p0").newest;
  const std::filesystem::path file = segment->path();
  segment.reset();
  segment = std::make_unique<Segment>(config());
  ASSERT_EQ(segment->path(), file);
  EXPECT_EQ(number(), 2);
  EXPECT_TRUE(first->segment->ended());
  EXPECT_FALSE(first->newer->segment->ended());
}

TEST_F(LocalSegmentsTest, SeveralStartsBetweenTwoLooksFollowInTheOrderInWhichTheyWereMade) {
  killed.leave(1);
  const Held first = segments.find("p0").newest;
  const auto at = [](std::int64_t seconds) {
    return [seconds](auto& header) { header.created_realtime_ns += seconds * 1'000'000'000; };
  };
  const auto unchanged = [](Segment::Config&) {};
  killed.leave(3, unchanged, at(3000));
  killed.leave(2, unchanged, at(2000));
  killed.leave(4, unchanged, at(4000));
  EXPECT_EQ(number(), 4);
  EXPECT_EQ(chain(first), "1:1 2:2 3:3 4:4");
}

TEST_F(LocalSegmentsTest, AReaderThatLookedBeforeTheFirstStartMissesNoRun) {
  const Held before = segments.find("p0").newest;
  killed.leave(1);
  killed.leave(2);
  EXPECT_EQ(number(), 2);
  EXPECT_EQ(chain(before), "0:0 1:1 2:2");
}

TEST_F(LocalSegmentsTest, AnOlderSegmentIsMappedWhileItOrAnEarlierOneHasAReader) {
  killed.leave(1);
  Held first = segments.find("p0").newest;
  killed.leave(2);
  number();
  killed.leave(3);
  number();
  EXPECT_EQ(mapped(), 3u);
  first = first->newer;
  EXPECT_EQ(mapped(), 2u);
  first = nullptr;
  EXPECT_EQ(mapped(), 1u);
}

TEST_F(LocalSegmentsTest, SegmentsWithoutReadersAreNotKept) {
  for (std::uint64_t start = 1; start <= 3; ++start) {
    killed.leave(start);
    EXPECT_EQ(number(), start);
    EXPECT_EQ(mapped(), 1u);
  }
}

TEST_F(LocalSegmentsTest, GenerationsBeyondTheBoundAreGivenUp) {
  killed.leave(1);
  const Held first = segments.find("p0").newest;
  for (std::uint64_t start = 2; start <= 1 + generations_kept; ++start) {
    killed.leave(start);
    ASSERT_EQ(number(), start);
  }
  EXPECT_TRUE(first->readable());
  EXPECT_EQ(first->newer->number, 2);
  EXPECT_EQ(mapped(), generations_kept + 1);
  for (std::uint64_t start = generations_kept + 2; start <= generations_kept + 5; ++start) {
    killed.leave(start);
    ASSERT_EQ(number(), start);
  }
  EXPECT_FALSE(first->readable());
  EXPECT_EQ(first->newer->number, 5);
  EXPECT_EQ(events_in(first->newer), 5u);
  EXPECT_EQ(mapped(), generations_kept + 1);
}

TEST_F(LocalSegmentsTest, ManyStartsBetweenTwoLooksAreBoundedTooAndTheNumbersTellHowManyWent) {
  const Held before = segments.find("p0").newest;
  for (std::uint64_t start = 1; start <= generations_kept + 9; ++start) killed.leave(start);
  EXPECT_EQ(number(), generations_kept + 9);
  EXPECT_EQ(mapped(), generations_kept + 1);
  EXPECT_EQ(before->newer->number, 9);
  EXPECT_EQ(events_in(before->newer), 9u);
  const std::string numbers = chain(before);
  EXPECT_THAT(numbers, HasSubstr("0:0 9:9 10:10"));
}

TEST_F(LocalSegmentsTest, TwoReadersOfDifferentGenerationsAreGivenUpSeparately) {
  killed.leave(1);
  const Held first = segments.find("p0").newest;
  killed.leave(2);
  const Held second = segments.find("p0").newest;
  for (std::uint64_t start = 3; start <= generations_kept + 2; ++start) {
    killed.leave(start);
    number();
  }
  EXPECT_FALSE(first->readable());
  EXPECT_TRUE(second->readable());
  EXPECT_EQ(first->newer, second);
  killed.leave(1);
  number();
  EXPECT_FALSE(second->readable());
  EXPECT_EQ(first->newer->number, 3);
  EXPECT_EQ(second->newer->number, 3);
}

// --- the state of a process ------------------------------------------------------------------------

class ProcessStateTest : public LocalSegmentsTest {
 protected:
  /// Asks a new LocalSegments, because each keeps the kernel's answer for some milliseconds.
  RunState state() {
    LocalSegments fresh = reader();
    return fresh.state_of(*held->segment);
  }
  Held hold() { return held = segments.find("p0").newest; }
  Held held;
};

TEST_F(ProcessStateTest, RunningStoppedAndRunningAgain) {
  const LiveProcess process(config());
  ASSERT_EQ(hold()->segment->pid(), process.pid());
  EXPECT_EQ(state(), RunState::running);
  process.stop();
  EXPECT_EQ(state(), RunState::stopped);
  process.go_on();
  EXPECT_EQ(state(), RunState::running);
}

TEST_F(ProcessStateTest, ThatCannotBeReadIsNotDead) {
  if (!test::FewDescriptors::possible) GTEST_SKIP() << test::FewDescriptors::why_not;
  const LiveProcess process(config());
  hold();
  const test::FewDescriptors none;
  EXPECT_EQ(state(), RunState::running);
}

TEST_F(ProcessStateTest, AKilledProcessIsDeadWhetherItIsReapedOrNot) {
  LiveProcess process(config());
  hold();
  process.kill_unreaped();
  EXPECT_EQ(state(), RunState::dead);
  process.kill();
  EXPECT_EQ(state(), RunState::dead);
  EXPECT_EQ(number(), 1);
}

TEST_F(ProcessStateTest, AnOrderlyEndIsEndedAndItsSegmentStaysReadable) {
  LiveProcess process(config(), 3);
  hold();
  process.end();
  EXPECT_EQ(state(), RunState::ended);
  EXPECT_THAT(directory.files(), IsEmpty());
  EXPECT_EQ(number(), 1);
  EXPECT_TRUE(held->readable());
  EXPECT_EQ(events_in(held), 3u);
}

TEST_F(ProcessStateTest, AnotherProcessWithTheSameIdIsNotTheOneThatIsDead) {
  const auto earlier = [](auto& header) {
    header.pid = ::getpid();
    header.process_start_ticks -= 1;
  };
  killed.leave(
      1, [](Segment::Config&) {}, earlier);
  hold();
  EXPECT_EQ(state(), RunState::dead);
}

}  // namespace
}  // namespace eventspace
