// Segments that grow: additions of a running process, seen by readers that have its segment open.
#include "tuplespace/trace/segment_log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/error_text.h"
#include "tests/tuplespace/child.h"
#include "tests/tuplespace/small_file_system.h"
#include "tests/tuplespace/system/many_signals.h"
#include "tests/tuplespace/trace/segment_talk.h"

namespace eventspace {
namespace {

using test::added_trace;
using test::inventory_of;
using testing::HasSubstr;
using testing::IsEmpty;

/// A directory for segments, and a small one.
class SegmentLogTest : public testing::Test {
 protected:
  [[nodiscard]] Segment::Config config(std::uint64_t log_bytes = std::uint64_t{64} << 20) const {
    Segment::Config small = test::small_segment(directory.path());
    small.log_bytes = log_bytes;
    return small;
  }

  /// Returns the text of the ConfigurationError that `add` throws.
  template <class Add>
  static std::string failure(Add add) {
    return test::error_text<ConfigurationError>(add, "added it");
  }

  test::TemporaryDirectory directory;
};

TEST_F(SegmentLogTest, AnOpenViewSeesWhatIsAddedWhenItIsRefreshed) {
  Segment segment(config());
  SegmentView view(segment.path());
  EXPECT_FALSE(view.refresh());
  EXPECT_EQ(segment.add_thread(17, 4711), 2u);
  EXPECT_EQ(segment.add_traces(std::vector{added_trace("a", 8), added_trace("b", 9)}), 2u);
  EXPECT_EQ(segment.add_traces(std::vector{added_trace("c", 10)}), 4u);
  EXPECT_TRUE(segment.add_name({3, 17, "wörker 3"}));
  const std::string before = "threads 7 9, traces t7/north@thread(0) t9/south@element(0), names";
  EXPECT_EQ(inventory_of(view), before);
  EXPECT_TRUE(view.refresh());
  EXPECT_FALSE(view.refresh());
  EXPECT_EQ(inventory_of(view),
            "threads 7 9 17=4711, traces t7/north@thread(0) t9/south@element(0) a(0) b(0) c(0), "
            "names 3:17 wörker 3");
  EXPECT_EQ(inventory_of(SegmentView(segment.path())), inventory_of(view));
  EXPECT_EQ(view.refused(), 0u);
}

TEST_F(SegmentLogTest, AnAddedTraceElementIsAsItWasDescribed) {
  Segment segment(config());
  const TraceSpec spec{"t17/west", 40, 41, 17, 3, 5};
  ASSERT_EQ(segment.add_traces(std::span(&spec, 1)), 2u);
  const SegmentView view(segment.path());
  const SegmentView::Trace& trace = view.traces().at(2);
  EXPECT_EQ(trace.spec.name, "t17/west");
  EXPECT_EQ(trace.spec.trace, 40u);
  EXPECT_EQ(trace.spec.path, 41u);
  EXPECT_EQ(trace.spec.thread, 17u);
  EXPECT_EQ(trace.spec.point, 3u);
  EXPECT_EQ(trace.spec.threshold, 5u);
  EXPECT_EQ(trace.reader.threshold(), 5u);
}

TEST_F(SegmentLogTest, AddedTraceElementsRecordAsOthersDo) {
  Segment segment(config());
  std::vector<TraceSpec> specs;
  for (std::uint32_t i = 0; i < TraceRing::max_lanes; ++i)
    specs.push_back(added_trace(std::to_string(i), 10 + i, 3));
  const std::size_t first = segment.add_traces(specs).value();
  std::vector<TraceWriter> writers;
  for (std::size_t i = 0; i < specs.size(); ++i) writers.push_back(segment.writer(first + i));
  const SegmentView view(segment.path());
  for (std::uint64_t s = 1; s <= 20; ++s) {
    for (std::size_t i = 0; i < writers.size(); ++i) {
      if (s <= i + 4) test::record(writers[i], s);
    }
  }
  for (std::size_t i = 0; i < writers.size(); ++i) {
    std::vector<TraceTuple> tuples;
    const auto batch = view.traces()[first + i].reader.read_after(0, 100, tuples);
    EXPECT_EQ(batch.last, i + 4);
    EXPECT_EQ(batch.torn, 0u);
    ASSERT_EQ(tuples.size(), 3u);
    for (const TraceTuple& tuple : tuples) EXPECT_TRUE(test::is_whole(tuple));
    EXPECT_EQ(segment.reader(first + i).published(), i + 4);
  }
}

TEST_F(SegmentLogTest, AnAddedThreadCanBeBoundLater) {
  Segment segment(config());
  const std::size_t index = segment.add_thread(17, 0).value();
  const SegmentView view(segment.path());
  EXPECT_EQ(view.tid(index), 0);
  segment.bind_thread(index, 4711);
  segment.bind_thread(1, 4712);
  EXPECT_EQ(view.tid(index), 4711);
  EXPECT_EQ(view.tid(1), 4712);
}

TEST_F(SegmentLogTest, ReadersAndReferencesStayValidWhenMoreIsAdded) {
  Segment segment(config());
  segment.add_traces(std::vector{added_trace("a", 8)}).value();
  SegmentView view(segment.path());
  const SegmentView::Trace& trace = view.traces()[2];
  const TraceReader reader = trace.reader;
  for (std::uint32_t i = 0; i < 1000; ++i) segment.add_traces(std::vector{added_trace("b", i)}).value();
  ASSERT_TRUE(view.refresh());
  EXPECT_EQ(view.traces().size(), 1003u);
  TraceWriter writer = segment.writer(2);
  test::record(writer, 1);
  EXPECT_EQ(trace.spec.name, "a");
  EXPECT_EQ(trace.reader.newest()->words[0], 1u);
  EXPECT_EQ(reader.newest()->words[0], 1u);
}

TEST_F(SegmentLogTest, MemoryIsReservedInChunksAndAllOfTheFileIsMemory) {
  Segment segment(config());
  struct stat status {};
  const auto size = [&] {
    EXPECT_EQ(::stat(segment.path().c_str(), &status), 0);
    EXPECT_GE(static_cast<std::uint64_t>(status.st_blocks) * 512, segment.bytes());
    EXPECT_EQ(static_cast<std::uint64_t>(status.st_size), segment.bytes());
    return segment.bytes();
  };
  const std::size_t before = size();
  ASSERT_TRUE(segment.add_name({0, 1, "x"}));
  const std::size_t one = size();
  EXPECT_GT(one, before);
  EXPECT_LE(one, before + 64 * 1024);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(segment.add_name({0, 1, "x"}));
  EXPECT_EQ(size(), one);
  ASSERT_TRUE(segment.add_traces(std::vector{added_trace("large", 8, 10'000)}));
  EXPECT_GE(size(), before + 10'000 * 64);
  EXPECT_LE(size(), one + 10'000 * 64 + 128 * 1024);
}

TEST_F(SegmentLogTest, TheLongestNamesFitAndFillALogToItsLastLine) {
  const std::string longest(SegmentName::max_bytes, 'n');
  Segment segment(config(4160 + 64 + 128));
  EXPECT_TRUE(segment.add_name({1, 2, longest}));
  EXPECT_TRUE(segment.add_name({1, 2, std::string(44, 'n')}));
  EXPECT_TRUE(segment.add_thread(17, 0));
  EXPECT_FALSE(segment.add_name({1, 2, "x"}));
  const SegmentView view(segment.path());
  EXPECT_EQ(view.names().at(0).text, longest);
  EXPECT_EQ(view.names().at(1).text.size(), 44u);
  EXPECT_EQ(view.threads().size(), 3u);
}

TEST_F(SegmentLogTest, AnAddedTraceElementMayHaveTheLongestName) {
  Segment segment(config());
  const std::string longest(segment_name_bytes - 1, 't');
  ASSERT_TRUE(segment.add_traces(std::vector{added_trace(longest, 8)}));
  EXPECT_EQ(SegmentView(segment.path()).traces()[2].spec.name, longest);
}

// --- what is refused --------------------------------------------------------------------------------

TEST_F(SegmentLogTest, AFullLogRefusesAndCountsAndTakesWhatStillFits) {
  Segment segment(config(1024));
  SegmentView view(segment.path());
  EXPECT_FALSE(segment.add_traces(std::vector{added_trace("large", 8, 1000)}));
  int added = 0;
  for (int i = 0; i < 20; ++i) added += segment.add_name({0, 1, "x"}) ? 1 : 0;
  EXPECT_EQ(added, 16);
  EXPECT_FALSE(segment.add_thread(17, 1));
  EXPECT_EQ(view.refused(), 6u);
  EXPECT_TRUE(view.refresh());
  EXPECT_EQ(view.names().size(), 16u);
  EXPECT_EQ(view.threads().size(), 2u);
  EXPECT_EQ(view.traces().size(), 2u);
}

TEST_F(SegmentLogTest, ASegmentWithoutALogRefusesAll) {
  Segment segment(config(0));
  EXPECT_FALSE(segment.add_thread(17, 1));
  EXPECT_FALSE(segment.add_traces(std::vector{added_trace("a", 8)}));
  EXPECT_FALSE(segment.add_name({0, 1, "x"}));
  SegmentView view(segment.path());
  EXPECT_FALSE(view.refresh());
  EXPECT_EQ(view.refused(), 3u);
}

TEST_F(SegmentLogTest, AHundredThousandNamesFillALogAndNoMore) {
  Segment segment(config(1 << 20));
  std::uint64_t added = 0;
  for (std::uint32_t i = 0; i < 100'000; ++i) added += segment.add_name({0, i, "iteration_end"}) ? 1 : 0;
  const SegmentView view(segment.path());
  EXPECT_EQ(added, (1u << 20) / 64);
  EXPECT_EQ(view.names().size(), added);
  EXPECT_EQ(view.names().back().number, added - 1);
  EXPECT_EQ(view.refused(), 100'000 - added);
}

TEST_F(SegmentLogTest, AMillionNamesAreTheMostAlsoWhereThereIsRoomForMore) {
  Segment segment(config(std::uint64_t{80} << 20));
  std::uint64_t added = 0;
  for (std::uint32_t i = 0; i < 1'000'010; ++i) added += segment.add_name({0, i, "iteration_end"}) ? 1 : 0;
  EXPECT_TRUE(segment.add_thread(17, 1));  // not for lack of room
  const SegmentView view(segment.path());
  EXPECT_EQ(added, 1'000'000u);
  EXPECT_EQ(view.names().size(), 1'000'000u);
  EXPECT_EQ(view.names().back().number, 999'999u);
  EXPECT_EQ(view.refused(), 10u);
}

/// Limits the sizes of files to the size of `file` plus `more` bytes.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(const std::filesystem::path& file, std::uint64_t more) {
    EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &before_), 0);
    const rlimit limit{std::filesystem::file_size(file) + more, before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  ~FileSizeLimit() { EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &before_), 0); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

TEST_F(SegmentLogTest, ALimitOfFileSizesRefusesAndDoesNotEndTheProcess) {
  Segment segment(config());
  SegmentView view(segment.path());
  {
    const FileSizeLimit limit(segment.path(), 64);  // SIGXFSZ is not ignored here
    EXPECT_FALSE(segment.add_thread(17, 1));
    EXPECT_TRUE(segment.add_name({0, 1, "fits, though no chunk does"}));
    EXPECT_FALSE(segment.add_name({0, 2, "x"}));
  }
  EXPECT_TRUE(view.refresh());
  EXPECT_EQ(view.names().size(), 1u);
  EXPECT_EQ(view.refused(), 2u);
  EXPECT_EQ(segment.add_thread(17, 1), 2u);
}

TEST_F(SegmentLogTest, FullSharedMemoryRefusesAndTakesWhatStillFits) {
  const auto went_well = test::on_a_small_file_system(directory.path(), [this] {
    Segment segment(config());
    SegmentView view(segment.path());
    const std::size_t before = segment.bytes();
    if (segment.add_traces(std::vector{added_trace("large", 8, 48'000)})) return false;
    // Memory that was reserved without success is released.
    if (std::filesystem::file_size(segment.path()) != before) return false;
    int added = 0;
    for (int i = 0; i < 40'000; ++i) added += segment.add_name({0, 1, "x"}) ? 1 : 0;
    return view.refresh() && view.names().size() == static_cast<std::size_t>(added) && added > 30'000 &&
           added < 32'768 && view.refused() == 40'001u - static_cast<unsigned>(added) &&
           view.traces().size() == 2;
  });
  if (!went_well) GTEST_SKIP() << "this user may not mount file systems";
  EXPECT_TRUE(*went_well);
}

TEST_F(SegmentLogTest, WhatWasReservedBeforeIsUsedWhenTheFileIsGone) {
  Segment segment(config());
  ASSERT_TRUE(segment.add_name({0, 1, "x"}));
  SegmentView view(segment.path());
  std::filesystem::remove(segment.path());
  EXPECT_TRUE(segment.add_name({0, 2, "y"}));
  EXPECT_FALSE(segment.add_traces(std::vector{added_trace("large", 8, 2000)}));
  EXPECT_TRUE(view.refresh());
  EXPECT_EQ(view.names().size(), 2u);
  EXPECT_EQ(view.refused(), 1u);
}

TEST_F(SegmentLogTest, AnotherFileOfTheSameNameIsLeftAlone) {
  Segment segment(config());
  std::filesystem::remove(segment.path());
  test::write_file(segment.path(), {'o', 't', 'h', 'e', 'r'});
  EXPECT_FALSE(segment.add_name({0, 1, "x"}));
  EXPECT_EQ(std::filesystem::file_size(segment.path()), 5u);
}

TEST_F(SegmentLogTest, ASegmentGrowsInAProcessThatHasClosedAllDescriptorsAndChangedItsDirectory) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(directory.path());
  Segment::Config relative = config();
  relative.directory = ".";
  const auto segment = std::make_unique<Segment>(relative);
  test::Child child([&] {
    Segment own([&] {
      Segment::Config of_child = relative;
      of_child.identity.process = "p1";
      return of_child;
    }());
    ::close_range(STDERR_FILENO + 1, ~0u, 0);
    std::filesystem::current_path("/");
    if (!own.add_name({0, 1, "x"})) throw std::runtime_error("it does not grow");
  });
  EXPECT_TRUE(child.ends_well());
  std::filesystem::current_path(before);
}

TEST_F(SegmentLogTest, AForkedChildAddsNothingToItsParentsSegment) {
  Segment segment(config());
  test::Child child([&] {
    if (segment.add_name({0, 1, "x"}) || segment.add_thread(1, 1)) throw std::runtime_error("it was added");
  });
  EXPECT_TRUE(child.ends_well());
  const SegmentView view(segment.path());
  EXPECT_THAT(view.names(), IsEmpty());
  EXPECT_EQ(view.refused(), 2u);
}

// --- what can never be added ------------------------------------------------------------------------

TEST_F(SegmentLogTest, TraceElementsThatCannotShareABlockAreNamed) {
  Segment segment(config());
  std::vector<TraceSpec> two{added_trace("a", 8), added_trace("b", 9)};
  two[1].thread = 18;
  EXPECT_THAT(failure([&] { (void)segment.add_traces(two); }), HasSubstr("threads 17 and 18"));
  two[1].thread = 17;
  two[1].threshold = 3;
  EXPECT_THAT(failure([&] { (void)segment.add_traces(two); }), HasSubstr("thresholds 2 and 3"));
  two[0].threshold = two[1].threshold = max_threshold + 1;
  EXPECT_THAT(failure([&] { (void)segment.add_traces(two); }), HasSubstr("16777216"));
  EXPECT_THAT(failure([&] { (void)segment.add_traces({}); }), HasSubstr("0 trace elements"));
  const std::vector<TraceSpec> many(TraceRing::max_lanes + 1, added_trace("a", 8));
  EXPECT_THAT(failure([&] { (void)segment.add_traces(many); }), HasSubstr("17 trace elements"));
  EXPECT_EQ(inventory_of(SegmentView(segment.path())),
            "threads 7 9, traces t7/north@thread(0) t9/south@element(0), names");
}

TEST_F(SegmentLogTest, TextsThatCannotBeNamesAreRefusedWithAReason) {
  Segment segment(config());
  for (const std::string& text : {std::string(), std::string(SegmentName::max_bytes + 1, 'x'),
                                  std::string("a\nb"), std::string("a\0b", 3), std::string("\xff")}) {
    EXPECT_THAT(failure([&] { (void)segment.add_name({0, 1, text}); }), HasSubstr("1 to 4096 bytes"));
  }
  for (const std::string& text : {std::string(segment_name_bytes, 'x'), std::string("\x1b[2J")})
    EXPECT_THAT(failure([&] { (void)segment.add_traces(std::vector{added_trace(text, 8)}); }),
                HasSubstr("0 to 95 bytes"));
  const SegmentView view(segment.path());
  EXPECT_EQ(view.refused(), 0u);
  EXPECT_THAT(view.names(), IsEmpty());
}

TEST_F(SegmentLogTest, ALogThatIsTooLargeIsNamed) {
  EXPECT_THAT(failure([&] { const Segment segment(config(Segment::max_log_bytes + 1)); }),
              HasSubstr("1073741825"));
  EXPECT_THAT(directory.files(), IsEmpty());
  const Segment largest(config(Segment::max_log_bytes));
  EXPECT_EQ(test::refusal_of(largest.path()), "");
}

// --- signals ----------------------------------------------------------------------------------------

TEST_F(SegmentLogTest, SignalsDoNotDisturbReservingMuchMemory) {
  const test::ManySignals signals;
  Segment::Config large = config();
  large.traces.assign(2, {"large", 3, 30, 7, 0, 20'000});
  Segment segment(large);
  EXPECT_TRUE(segment.add_traces(std::vector{added_trace("large", 8, 30'000)}));
  EXPECT_TRUE(segment.add_name({0, 1, "x"}));
}

}  // namespace
}  // namespace eventspace
