#include "tuplespace/trace/segment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <map>

#include "tests/error_text.h"
#include "tests/tuplespace/trace/segment_talk.h"
#include "tuplespace/processes/process_stat.h"
#include "tuplespace/trace/segment_layout.h"

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A directory for segments, and the configuration of a small one.
class SegmentTest : public testing::Test {
 protected:
  [[nodiscard]] Segment::Config config() const { return test::small_segment(directory.path()); }
  [[nodiscard]] Segment made() const { return Segment(config()); }

  /// Returns the text of the exception that making this segment throws.
  template <class Failure>
  static std::string failure(const Segment::Config& config) {
    return test::error_text<Failure>([&] { const Segment segment(config); }, "made it");
  }

  [[nodiscard]] std::size_t readable() const {
    const auto found = find_segments("wind", "n1", directory.path());
    return static_cast<std::size_t>(std::count_if(
        found.begin(), found.end(), [](const auto& file) { return test::refusal_of(file).empty(); }));
  }

  test::TemporaryDirectory directory;
};

TEST_F(SegmentTest, AReaderSeesWhatTheWriterSaid) {
  const Segment segment = made();
  const SegmentView view(segment.path());
  EXPECT_EQ(view.identity().session, "wind");
  EXPECT_EQ(view.identity().node, "n1");
  EXPECT_EQ(view.identity().process, "p0");
  EXPECT_EQ(view.identity().fingerprint, 0xfeedu);
  EXPECT_EQ(view.clock().ns_per_tick, 0.5);
  EXPECT_EQ(view.pid(), ::getpid());
  EXPECT_EQ(view.process_start_ticks(), read_process_stat(::getpid())->start_ticks);
  EXPECT_THAT(view.threads(), ElementsAre(7, 9));
  ASSERT_EQ(view.traces().size(), 2u);
  EXPECT_EQ(view.traces()[1].spec.name, "t9/south@element");
  EXPECT_EQ(view.traces()[1].spec.trace, 5u);
  EXPECT_EQ(view.traces()[1].spec.path, 31u);
  EXPECT_EQ(view.traces()[1].spec.thread, 9u);
  EXPECT_EQ(view.traces()[1].spec.point, 1u);
  EXPECT_EQ(view.traces()[1].reader.threshold(), 2u);
  EXPECT_TRUE(view.intact());
  EXPECT_FALSE(view.ended());
}

TEST_F(SegmentTest, TheMemberOfAnMpiJobIsKnown) {
  Segment::Config config = test::small_segment(directory.path());
  EXPECT_EQ(SegmentView(Segment(config).path()).identity().member, std::nullopt);
  config.identity.member = JobMember{2, 13};
  const Segment segment(config);
  EXPECT_EQ(SegmentView(segment.path()).identity().member, config.identity.member);
}

TEST_F(SegmentTest, EventsArriveWhileBothHaveItOpen) {
  Segment segment = made();
  const SegmentView view(segment.path());
  TraceWriter first = segment.writer(0);
  TraceWriter second = segment.writer(1);
  test::record(first, 1);
  test::begin_pattern(second, 1);
  EXPECT_EQ(view.traces()[0].reader.newest()->words[0], 1u);
  EXPECT_EQ(view.traces()[1].reader.in_flight()->words[0], 1u);
  EXPECT_EQ(segment.reader(0).published(), 1u);
}

// Trace elements of threads 7, 7, 7 (with another threshold), 9, and eighteen times 11: blocks of 2, 1, 1, 16
// and 2.
Segment::Config many_rings(Segment::Config config) {
  config.traces.clear();
  const auto add = [&](std::uint32_t thread, std::uint32_t threshold) {
    const auto number = static_cast<std::uint32_t>(config.traces.size());
    config.traces.push_back({"trace" + std::to_string(number), number, number, thread, 0, threshold});
  };
  add(7, 3);
  add(7, 3);
  add(7, 5);
  add(9, 5);
  for (int i = 0; i < 18; ++i) add(11, 2);
  return config;
}

TEST_F(SegmentTest, TraceElementsThatShareABlockKeepTheirOwn) {
  Segment segment(many_rings(config()));
  const SegmentView view(segment.path());
  ASSERT_EQ(view.traces().size(), 22u);
  std::vector<TraceWriter> writers;
  for (std::size_t i = 0; i < 22; ++i) writers.push_back(segment.writer(i));
  // Trace element i gets 4 + i events, in turn with the others, with numbers that other elements do not have.
  const auto own = [](std::size_t i, std::uint64_t s) { return 1000 * (i + 1) + s; };
  for (std::uint64_t s = 1; s <= 25; ++s) {
    for (std::size_t i = 0; i < 22; ++i) {
      if (s > 4 + i) continue;
      writers[i].begin(own(i, s), 0, 0);
      writers[i].end(own(i, s), 0, 0, 0);
    }
  }
  for (std::size_t i = 0; i < 22; ++i) {
    const TraceReader& reader = view.traces()[i].reader;
    std::vector<TraceTuple> tuples;
    const TraceReader::Batch batch = reader.read_after(0, 100, tuples);
    EXPECT_EQ(batch.last, 4 + i);
    EXPECT_EQ(batch.torn, 0u);
    ASSERT_EQ(tuples.size(), reader.threshold());
    for (const TraceTuple& tuple : tuples) {
      EXPECT_EQ(tuple.words[1], own(i, tuple.words[0]));
      EXPECT_EQ(tuple.words[4], own(i, tuple.words[0]));
    }
    EXPECT_FALSE(reader.in_flight());
  }
}

TEST_F(SegmentTest, WhatAThreadRecordsAtATimeLiesInOnePage) {
  Segment segment(many_rings(config()));
  TraceWriter first = segment.writer(4);
  TraceWriter last = segment.writer(19);  // the sixteenth of thread 11
  first.begin(0x1111222233334444, 0, 0);
  last.begin(0x5555666677778888, 0, 0);
  const auto bytes = test::content_of(segment.path());
  const auto find = [&](std::uint64_t start) {
    const auto* const begin = reinterpret_cast<const char*>(&start);
    return std::search(bytes.begin(), bytes.end(), begin, begin + sizeof start) - bytes.begin();
  };
  EXPECT_EQ(find(0x5555666677778888) - find(0x1111222233334444), 15 * 64);
}

TEST_F(SegmentTest, OnlyRingsOfOneThreadShareALine) {
  Segment segment(many_rings(config()));
  const auto bytes = test::content_of(segment.path());
  segment_layout::Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  std::map<std::uint64_t, std::pair<std::uint32_t, std::uint16_t>> blocks;  // offset: thread, rings
  for (std::uint32_t i = 0; i < header.trace_count; ++i) {
    segment_layout::TraceEntry entry;
    std::memcpy(&entry, bytes.data() + header.traces_offset + i * sizeof entry, sizeof entry);
    auto& [thread, rings] = blocks.try_emplace(entry.block, entry.thread, std::uint16_t{0}).first->second;
    EXPECT_EQ(entry.block % 64, 0u);
    EXPECT_EQ(entry.thread, thread);
    EXPECT_EQ(entry.lane, rings++);
  }
  std::vector<std::uint16_t> sizes;
  sizes.reserve(blocks.size());
  for (const auto& [offset, block] : blocks) sizes.push_back(block.second);
  EXPECT_THAT(sizes, ElementsAre(2, 1, 1, 16, 2));
}

TEST_F(SegmentTest, AReaderInAnotherMappingSeesThatATraceElementWasEmptied) {
  Segment segment = made();
  TraceWriter writer = segment.writer(0);
  const SegmentView view(segment.path());
  for (std::uint64_t s = 1; s <= 3; ++s) test::record(writer, s);
  segment.empty(0);
  std::vector<TraceTuple> tuples;
  EXPECT_EQ(view.traces()[0].reader.read_after(1, 100, tuples).emptied, 2u);
  EXPECT_THAT(tuples, IsEmpty());
}

TEST_F(SegmentTest, AForkedChildEmptiesNothing) {
  Segment segment = made();
  TraceWriter writer = segment.writer(0);
  test::record(writer, 1);
  const pid_t child = ::fork();
  if (child == 0) {
    segment.empty(0);
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(segment.reader(0).newest());
}

TEST_F(SegmentTest, AThreadIsUnknownUntilItBindsItself) {
  Segment segment = made();
  const SegmentView view(segment.path());
  EXPECT_EQ(view.tid(1), 0);
  segment.bind_thread(1, 4711);
  EXPECT_EQ(view.tid(0), 0);
  EXPECT_EQ(view.tid(1), 4711);
}

TEST_F(SegmentTest, OnlyItsUserMayOpenTheFile) {
  const Segment segment = made();
  struct stat status {};
  ASSERT_EQ(::stat(segment.path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_EQ(static_cast<std::size_t>(status.st_size), segment.bytes());
}

TEST_F(SegmentTest, ItsMemoryIsReserved) {
  const Segment segment = made();
  struct stat status {};
  ASSERT_EQ(::stat(segment.path().c_str(), &status), 0);
  EXPECT_GE(static_cast<std::size_t>(status.st_blocks) * 512, segment.bytes());
}

TEST_F(SegmentTest, TheTraceElementsOfTheWindTunnelFitIntoThirtyMegabytes) {
  Segment::Config tunnel = config();
  tunnel.traces.assign(2240, {"t139/receive/north/se@thread", 1, 1, 1, 0, 200});
  EXPECT_LT(Segment(tunnel).bytes(), 30'000'000u);
  EXPECT_EQ(TraceRing::bytes(200), (200 + 3) * sizeof(TraceTuple));  // three lines more than the threshold
}

TEST_F(SegmentTest, AnOrderlyEndRemovesTheFileAndIsSeenByItsReaders) {
  auto segment = std::make_unique<Segment>(config());
  TraceWriter writer = segment->writer(0);
  test::record(writer, 1);
  const SegmentView view(segment->path());
  segment.reset();
  EXPECT_TRUE(view.ended());
  EXPECT_THAT(directory.files(), IsEmpty());
  EXPECT_EQ(view.traces()[0].reader.newest()->words[0], 1u);
}

TEST_F(SegmentTest, AForkedChildThatLeavesDoesNotEndItsParentsSegment) {
  auto segment = std::make_unique<Segment>(config());
  const SegmentView view(segment->path());
  const pid_t child = ::fork();
  if (child == 0) {
    segment.reset();
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(view.ended());
  EXPECT_TRUE(std::filesystem::exists(segment->path()));
}

// Otherwise the segment of a killed process would count as in use as long as one of its children lives.
TEST_F(SegmentTest, AForkedChildHasNoPartInTheLock) {
  auto segment = std::make_unique<Segment>(config());
  const SegmentView view(segment->path());
  int lives[2];
  ASSERT_EQ(::pipe(lives), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    (void)!::write(lives[1], "x", 1);
    while (true) ::pause();
  }
  char letter = 0;
  EXPECT_EQ(::read(lives[0], &letter, 1), 1);
  EXPECT_EQ(view.lock(), FileLock::held);
  segment.reset();
  EXPECT_EQ(view.lock(), FileLock::free);
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  ::close(lives[0]);
  ::close(lives[1]);
}

TEST_F(SegmentTest, AMovedSegmentEndsOnce) {
  Segment first = made();
  {
    const Segment second = std::move(first);
    EXPECT_EQ(directory.files().size(), 1u);
  }
  EXPECT_THAT(directory.files(), IsEmpty());
}

// Like when a process joins a session twice.
TEST_F(SegmentTest, ASecondSegmentOfItsNameIsRefusedAndTheFirstStays) {
  const Segment first = made();
  const auto refusal = failure<EnvironmentError>(config());
  EXPECT_THAT(refusal, HasSubstr("the segment " + first.path().string() + " is in use: this process"));
  EXPECT_THAT(refusal, HasSubstr("let it leave the session first"));
  EXPECT_THAT(directory.files(), ElementsAre(first.path().filename()));
  EXPECT_EQ(readable(), 1u);
}

// Like when processes with equal ids in two containers share the directory.
TEST_F(SegmentTest, ANewerSegmentOfItsNameOutlivesIt) {
  auto first = std::make_unique<Segment>(config());
  std::filesystem::remove(first->path());
  const Segment second = made();
  ASSERT_EQ(first->path(), second.path());
  first.reset();
  EXPECT_EQ(readable(), 1u);
}

TEST_F(SegmentTest, ASegmentThatIsNoLongerInUseIsReplaced) {
  const std::filesystem::path file = made().path();
  test::write_file(file, {'o', 'l', 'd'});  // as left by a killed process with this id, or before an exec
  const Segment segment = made();
  EXPECT_EQ(segment.path(), file);
  EXPECT_EQ(readable(), 1u);
}

TEST_F(SegmentTest, AProcessWithoutThreadsAndTracesMayHaveOne) {
  Segment::Config empty = config();
  empty.threads.clear();
  empty.traces.clear();
  const Segment segment(empty);
  EXPECT_THAT(SegmentView(segment.path()).traces(), IsEmpty());
}

TEST_F(SegmentTest, TheLeftoverOfADeadProcessWithThisIdIsReplaced) {
  const std::filesystem::path file = made().path();
  test::write_file(file, {'o', 'l', 'd'});
  test::write_file(file.string() + ".new", {'d', 'r', 'a', 'f', 't'});
  const Segment segment = made();
  EXPECT_EQ(test::refusal_of(segment.path()), "");
  EXPECT_EQ(directory.files().size(), 1u);
}

// --- finding segments -------------------------------------------------------------------------------

TEST_F(SegmentTest, SegmentsAreFoundBySessionAndNode) {
  const auto in = [&](const std::string& session, const std::string& node, const std::string& process) {
    Segment::Config here = config();
    here.identity = {session, node, process, 1};
    return Segment(here);
  };
  const Segment one = in("wind", "n1", "p0");
  const Segment two = in("wind", "n2", "p1");
  const Segment other = in("wind.n1", "n1", "p0");
  const Segment longer = in("wind", "n10", "p2");
  EXPECT_THAT(find_segments("wind", "n1", directory.path()), ElementsAre(one.path()));
  EXPECT_THAT(find_segments("wind", "", directory.path()),
              ElementsAre(one.path(), longer.path(), two.path()));
  EXPECT_THAT(find_segments("wind.n1", "", directory.path()), ElementsAre(other.path()));
  EXPECT_THAT(find_segments("win", "", directory.path()), IsEmpty());
}

TEST_F(SegmentTest, DraftsAreNotFound) {
  const Segment segment = made();
  test::write_file(segment.path().string() + ".new", {});
  EXPECT_EQ(find_segments("wind", "n1", directory.path()).size(), 1u);
}

TEST_F(SegmentTest, ADirectoryThatIsNotThereHoldsNone) {
  EXPECT_THAT(find_segments("wind", "", directory.path() / "missing"), IsEmpty());
}

TEST_F(SegmentTest, ADirectoryThatCannotBeReadIsNoEmptyOne) {
  const auto file = directory.path() / "file";
  test::write_file(file, {});
  EXPECT_EQ(
      test::error_text<EnvironmentError>([&] { EXPECT_THAT(find_segments("wind", "", file), IsEmpty()); }),
      "cannot list the session files in " + file.string() + ": Not a directory (errno 20)");
}

TEST_F(SegmentTest, OddNamesStayInsideTheDirectory) {
  Segment::Config odd = config();
  odd.identity.session = "../up";
  odd.identity.process = "a/b.c %";
  const Segment segment(odd);
  EXPECT_EQ(segment.path().parent_path(), directory.path());
  EXPECT_EQ(SegmentView(segment.path()).identity().process, "a/b.c %");
  EXPECT_EQ(find_segments("../up", "n1", directory.path()).size(), 1u);
}

TEST_F(SegmentTest, TheDirectoryComesFromTheEnvironment) {
  ::setenv("EVENTSPACE_SHM_DIR", directory.path().c_str(), 1);
  EXPECT_EQ(segment_directory(), directory.path());
  ::setenv("EVENTSPACE_SHM_DIR", "", 1);
  EXPECT_EQ(segment_directory(), "/dev/shm/" + own_directory_name());
  ::unsetenv("EVENTSPACE_SHM_DIR");
  EXPECT_EQ(segment_directory(), "/dev/shm/" + own_directory_name());
}

// --- impossible segments ----------------------------------------------------------------------------

TEST_F(SegmentTest, AMissingDirectoryIsNamed) {
  Segment::Config nowhere = config();
  nowhere.directory = directory.path() / "missing";
  const std::string text = failure<EnvironmentError>(nowhere);
  EXPECT_THAT(text, HasSubstr("missing/eventspace."));
  EXPECT_THAT(text, HasSubstr("No such file or directory"));
  EXPECT_THAT(text, HasSubstr("EVENTSPACE_SHM_DIR"));
}

TEST_F(SegmentTest, NoRoomIsNamedAndNothingIsLeftBehind) {
  const rlimit small{4096, RLIM_INFINITY};
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  Segment::Config large = config();
  large.traces[0].threshold = 1000;
  const std::string text = failure<EnvironmentError>(large);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(text, HasSubstr("cannot reserve"));
  EXPECT_THAT(text, HasSubstr("eventspace."));
  EXPECT_THAT(directory.files(), IsEmpty());
}

TEST_F(SegmentTest, ThresholdsOutOfRangeAreNamed) {
  Segment::Config none = config();
  none.traces[1].threshold = 0;
  EXPECT_THAT(failure<ConfigurationError>(none), HasSubstr("t9/south@element"));
  Segment::Config most = config();
  most.traces[1].threshold = max_threshold + 1;
  EXPECT_THAT(failure<ConfigurationError>(most), HasSubstr("16777216"));
  EXPECT_THAT(directory.files(), IsEmpty());
}

TEST_F(SegmentTest, NamesThatAreTooLongAreNamedAndNothingIsLeftBehind) {
  for (const auto& [session, process, trace] :
       {std::tuple{64, 1, 1}, std::tuple{1, 64, 1}, std::tuple{1, 1, 96}}) {
    Segment::Config config = this->config();
    config.identity.session = std::string(session, 's');
    config.identity.process = std::string(process, 'p');
    config.traces[0].name = std::string(trace, 't');
    EXPECT_THAT(failure<ConfigurationError>(config), HasSubstr("bytes"));
  }
  Segment::Config zero = config();
  zero.identity.node = std::string("n\0", 2);
  EXPECT_THAT(failure<ConfigurationError>(zero), HasSubstr("node"));
  EXPECT_THAT(directory.files(), IsEmpty());
}

TEST_F(SegmentTest, TheLongestNamesFit) {
  Segment::Config longest = config();
  longest.identity = {std::string(63, 's'), std::string(63, 'n'), std::string(63, 'p'), 1};
  longest.traces[0].name = std::string(95, 't');
  const Segment segment(longest);
  const SegmentView view(segment.path());
  EXPECT_EQ(view.identity().process, longest.identity.process);
  EXPECT_EQ(view.traces()[0].spec.name, longest.traces[0].name);
}

}  // namespace
}  // namespace eventspace
