// Threads that get trace elements while the program runs, even when the segment is full.
#include "tuplespace/trace/growing_traces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/tuplespace/child.h"
#include "tests/tuplespace/small_file_system.h"
#include "tests/tuplespace/trace/segment_talk.h"

namespace eventspace {
namespace {

using Place = GrowingTraces::Place;
using testing::HasSubstr;

constexpr std::uint64_t room_of_a_thread =
    64 + 128 + 64 + 128 + std::uint64_t{64} * 11;  // name, thread, entry, ring of 8

/// A segment with threads 7 and 9 of a plan, two spares with the numbers 901 and 902, and room for some more.
class GrowingTracesTest : public testing::Test {
 protected:
  explicit GrowingTracesTest(std::size_t kept_after_end = 64) : kept(kept_after_end) {}

  void make(std::size_t threads_that_fit, std::uint64_t more = 0) {
    Segment::Config config = test::small_segment(directory.path());
    const std::uint64_t spares = std::uint64_t{2} * (64 + 128 + 64 + 128 + 64 * 6);
    config.log_bytes = spares + threads_that_fit * room_of_a_thread + more;
    segment.emplace(config);
    traces.emplace(*segment, GrowingTraces::Config{{901, 902}, 3, 1, "spare", kept});
  }

  // Null if there is none.
  std::unique_ptr<Place> place(const GrowingTraces::Thread& of, const GrowingTraces::Recorder& recorder) {
    auto found = traces->writer_for(of, recorder);
    return found ? std::make_unique<Place>(std::move(*found)) : nullptr;
  }
  std::unique_ptr<Place> thread(std::uint32_t number) {
    return place({number, static_cast<std::int32_t>(4000 + number), false, "t"},
                 {number, "t" + std::to_string(number), 8});
  }
  std::unique_ptr<Place> path(std::uint32_t of_thread, std::uint32_t number) {
    return place({of_thread, static_cast<std::int32_t>(4000 + of_thread), false, "t"},
                 {number, "p" + std::to_string(number), 8, true});
  }
  /// The place of its records: "17/17", numbers of thread and path, with "spare" in front for a spare.
  static std::string told(const std::unique_ptr<Place>& place) {
    if (!place) return "nowhere";
    return std::string(place->is_spare ? "spare " : "") + (place->shared ? "shared " : "") +
           std::to_string(place->thread) + "/" + std::to_string(place->path);
  }
  /// Records tuples with the numbers from `first` to `last`.
  static void record(Place& place, std::uint64_t first, std::uint64_t last) {
    TraceWriter& writer = place.shared != nullptr ? *place.shared : place.writer;
    for (std::uint64_t s = first; s <= last; ++s) test::record(writer, s);
  }
  [[nodiscard]] std::string inventory() const { return test::inventory_of(SegmentView(segment->path())); }

  test::TemporaryDirectory directory;
  std::size_t kept;
  std::optional<Segment> segment;
  std::optional<GrowingTraces> traces;
};

TEST_F(GrowingTracesTest, AThreadGetsATraceElementOfItsOwn) {
  make(1);
  auto place = thread(17);
  ASSERT_EQ(told(place), "17/17");
  record(*place, 1, 4);
  EXPECT_EQ(inventory(),
            "threads 7 9 901 902 17=4017, "
            "traces t7/north@thread(0) t9/south@element(0) spare1(0) spare2(0) t17(4), "
            "names 1:901 spare1 1:902 spare2 1:17 t");
}

TEST_F(GrowingTracesTest, AThreadOfThePlanIsNotAddedAgain) {
  make(1);
  const auto place = this->place({7, 4007, true, "t"}, {18, "t7/probes", 8});
  EXPECT_EQ(told(place), "7/18");
  EXPECT_THAT(inventory(), HasSubstr("threads 7 9 901 902, "));
}

TEST_F(GrowingTracesTest, ASecondTraceElementOfAThreadDoesNotAddItAgain) {
  make(2);
  const auto one = path(17, 17);
  const auto other = path(17, 18);
  EXPECT_EQ(told(other), "17/18");
  EXPECT_THAT(inventory(), HasSubstr("threads 7 9 901 902 17=4017, "));
}

TEST_F(GrowingTracesTest, ThreadsWithoutRoomHaveTheSparesAndTheNextOnesNothingWhichIsCounted) {
  make(1);
  const auto own = thread(17);
  auto first = thread(18);
  const auto second = thread(19);
  EXPECT_EQ(told(first), "spare 901/901");
  EXPECT_EQ(told(second), "spare 902/902");
  EXPECT_EQ(told(thread(20)), "nowhere");
  EXPECT_EQ(told(thread(20)), "nowhere");
  record(*first, 1, 2);
  const SegmentView view(segment->path());
  EXPECT_EQ(view.unrecorded(), 2u);
  EXPECT_GT(view.refused(), 0u);
  EXPECT_THAT(inventory(), HasSubstr("901=4018 902=4019"));
  EXPECT_THAT(inventory(), HasSubstr("spare1(2) spare2(0)"));
}

TEST_F(GrowingTracesTest, ASpareIsFreeAgainWhenItsThreadHasEnded) {
  make(0);
  auto first = thread(18);
  const auto second = thread(19);
  record(*first, 1, 2);
  first.reset();
  auto next = thread(20);
  EXPECT_EQ(told(next), "spare 901/901");
  record(*next, 3, 5);  // continues
  const SegmentView view(segment->path());
  std::vector<TraceTuple> tuples;
  const auto batch = view.traces().at(2).reader.read_after(0, 10, tuples);
  EXPECT_EQ(test::summary(batch, tuples), "3 4 5, discarded 2");
  EXPECT_THAT(inventory(), HasSubstr("901=4020"));
}

TEST_F(GrowingTracesTest, FurtherPathsOfAThreadShareOneSpare) {
  make(1);
  const auto own = path(17, 17);
  auto one = path(17, 18);
  auto other = path(17, 19);
  EXPECT_EQ(told(one), "spare shared 17/18");
  EXPECT_EQ(told(other), "spare shared 17/19");
  EXPECT_EQ(told(path(20, 20)), "spare shared 902/20");  // another thread has another one
  record(*one, 1, 1);
  record(*other, 2, 2);
  record(*one, 3, 3);
  std::vector<TraceTuple> tuples;
  const SegmentView view(segment->path());
  const auto batch = view.traces().at(2).reader.read_after(0, 10, tuples);
  EXPECT_EQ(test::summary(batch, tuples), "1 2 3");
  for (const TraceTuple& tuple : tuples) EXPECT_TRUE(test::is_whole(tuple));
  one.reset();
  EXPECT_EQ(told(path(17, 21)), "spare shared 17/21");  // `other` still holds it
}

TEST_F(GrowingTracesTest, ARecorderThatDoesNotShareHasASpareOfItsOwn) {
  make(0);
  const auto shared = path(17, 17);
  EXPECT_EQ(told(thread(17)), "spare 902/902");
}

TEST_F(GrowingTracesTest, WithoutNumbersThereAreOnlySpares) {
  make(1);
  EXPECT_EQ(told(this->place({{}, 4001, false, "t"}, {{}, "t", 8})), "spare 901/901");
  EXPECT_EQ(told(this->place({7, 4007, true, "t"}, {{}, "t", 8})), "spare 7/901");
}

TEST_F(GrowingTracesTest, AThreadWithoutANumberGoesOnAsOneThatHasEnded) {
  make(1);
  auto ended = thread(17);
  record(*ended, 1, 2);
  ended.reset();
  const GrowingTraces::Thread unnumbered{{}, 4020, false, "t"};
  auto next = place(unnumbered, {{}, "t", 8});
  EXPECT_EQ(told(next), "17/17");
  record(*next, 3, 4);
  EXPECT_THAT(inventory(), HasSubstr("17=4020"));
  EXPECT_THAT(inventory(), HasSubstr("t17(4)"));
  EXPECT_EQ(told(place(unnumbered, {{}, "t", 8})), "spare 901/901");  // it is in use
  next.reset();
  EXPECT_EQ(told(place(unnumbered, {{}, "t", 8})), "17/17");
}

TEST_F(GrowingTracesTest, APlaceSaysWhichTraceElementItIs) {
  make(1);
  const auto own = path(17, 17);
  const auto spare = path(17, 18);
  record(*own, 1, 1);
  record(*spare, 1, 2);
  EXPECT_EQ(segment->reader(own->index).published(), 1u);
  EXPECT_EQ(segment->reader(spare->index).published(), 2u);
}

/// The trace element of a thread that has ended is given away at once.
class EndedThreadsTest : public GrowingTracesTest {
 protected:
  EndedThreadsTest() : GrowingTracesTest(0) { make(10); }
};

TEST_F(EndedThreadsTest, TheirTraceElementsAreGivenToOthersWithTheirEventsStillThere) {
  auto first = thread(17);
  record(*first, 1, 5);
  first.reset();
  auto second = thread(18);
  EXPECT_EQ(told(second), "18/17");  // another thread, the same trace element
  record(*second, 6, 10);
  const SegmentView view(segment->path());
  ASSERT_EQ(view.traces().size(), 5u);
  std::vector<TraceTuple> tuples;
  const auto batch = view.traces().back().reader.read_after(0, 100, tuples);
  EXPECT_EQ(test::summary(batch, tuples), "3 4 5 6 7 8 9 10, discarded 2");
  EXPECT_EQ(told(thread(19)), "19/19");
}

TEST_F(EndedThreadsTest, OneOfAnotherThresholdIsNotTaken) {
  thread(17).reset();
  EXPECT_EQ(told(this->place({18, 4018, false, "t"}, {18, "t18", 9})), "18/18");
}

TEST_F(EndedThreadsTest, ThoseOfThreadsOfThePlanAreNot) {
  this->place({7, 4007, true, "t"}, {17, "t7/probes", 8}).reset();
  EXPECT_EQ(told(thread(18)), "18/18");
}

TEST_F(EndedThreadsTest, ManyThreadsOneAfterAnotherTakeOnlyTheRoomOfTheirNames) {
  segment.reset();
  make(64);  // 64 KiB and more
  for (std::uint32_t i = 1; i <= 200; ++i)
    ASSERT_EQ(told(thread(1000 + i)), std::to_string(1000 + i) + "/1001");
  EXPECT_EQ(SegmentView(segment->path()).unrecorded(), 0u);
}

TEST_F(GrowingTracesTest, TheThreadThatEndedFirstGivesItsTraceElementWhenThereIsNoRoom) {
  make(2, 64 + 128);  // and for the name and the thread of a third
  auto a = thread(17);
  auto b = thread(18);
  b.reset();
  a.reset();
  EXPECT_EQ(told(thread(19)), "19/18");
  EXPECT_EQ(told(this->place({7, 4007, true, "t"}, {20, "t", 8})), "spare 7/901");  // it does not have one of
                                                                                    // others
}

TEST_F(GrowingTracesTest, ItOutlivesTheSegmentInThreadsThatStillRecord) {
  make(1);
  auto place = thread(17);
  auto spare = thread(18);
  traces.reset();
  segment.reset();
  record(*place, 1, 20);
  record(*spare, 1, 20);
  place.reset();
  spare.reset();
}

TEST_F(GrowingTracesTest, AForkedChildGivesNothingBack) {
  make(0);
  auto place = thread(17);
  test::Child child([&] {
    place.reset();
    if (thread(18)->path != 902) throw std::runtime_error("the spare was given away");
  });
  EXPECT_TRUE(child.ends_well());
}

TEST_F(GrowingTracesTest, FullSharedMemoryWhileThreadsComeLeavesEachWithAPlaceOrCounted) {
  const auto went_well = test::on_a_small_file_system(directory.path(), [this] {
    segment.emplace(test::small_segment(directory.path()));
    traces.emplace(*segment, GrowingTraces::Config{{901, 902}, 200, 1, "spare", 64});
    std::vector<Place> places;
    std::uint64_t own = 0;
    std::uint64_t spares = 0;
    std::uint64_t none = 0;
    for (std::uint32_t i = 0; i < 100; ++i) {
      auto place = this->place({1000 + i, 1, false, "t"}, {1000 + i, "t", 1000});
      if (!place) {
        ++none;
        continue;
      }
      (place->is_spare ? spares : own) += 1;
      record(*place, 1, 3000);  // its memory is there
      places.push_back(std::move(*place));
    }
    const SegmentView view(segment->path());
    return own > 10 && spares == 2 && own + spares + none == 100 && view.unrecorded() == none;
  });
  if (!went_well) GTEST_SKIP() << "this user may not mount file systems";
  EXPECT_TRUE(*went_well);
}

TEST_F(GrowingTracesTest, ThreadsThatComeAndGoAtATimeNeverShareATraceElement) {
  kept = 1;
  make(3);
  std::atomic<std::uint64_t> recorded{0};
  std::atomic<std::uint32_t> next{1000};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 300; ++round) {
        auto place = thread(next++);
        if (!place) continue;
        // Continues with the numbers of the trace element: two writers at a time would tear them.
        TraceWriter& writer = place->writer;
        for (int k = 0; k < 20; ++k) {
          writer.begin(1, 2, 3);
          writer.end(4, 5, 6, 7);
        }
        recorded += 20;
      }
    });
  }
  for (std::thread& one : threads) one.join();
  const SegmentView view(segment->path());
  std::uint64_t published = 0;
  for (const SegmentView::Trace& trace : view.traces()) published += trace.reader.published();
  EXPECT_EQ(published, recorded);
  EXPECT_EQ(recorded / 20 + view.unrecorded(), 4u * 300u);
}

}  // namespace
}  // namespace eventspace
