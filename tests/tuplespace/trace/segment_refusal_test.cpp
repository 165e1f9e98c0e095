#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <limits>
#include <random>

#include "tests/tuplespace/trace/segment_talk.h"
#include "tuplespace/trace/segment_layout.h"

// Invalid segment files: each is refused with a reason, or is harmless.

namespace eventspace {
namespace {

using namespace segment_layout;
using testing::HasSubstr;

/// The bytes of a valid small segment with some events in it, and a place for files with faults.
class SegmentRefusalTest : public testing::Test {
 protected:
  SegmentRefusalTest() {
    Segment segment(test::small_segment(directory.path()));
    TraceWriter writer = segment.writer(0);
    for (std::uint64_t s = 1; s <= 6; ++s) test::record(writer, s);
    test::begin_pattern(writer, 7);
    good = test::content_of(segment.path());
  }

  std::string refusal_of(const std::vector<char>& content) {
    test::write_file(file, content);
    return test::refusal_of(file);
  }
  /// Returns the valid segment with its header, or one directory entry, changed and the checksum corrected.
  template <class Change>
  std::string refusal_with_header(Change change) {
    std::vector<char> bytes = good;
    Header header = header_of(bytes);
    change(header);
    return refusal_of(sealed(std::move(bytes), header));
  }
  template <class Change>
  std::string refusal_with_entry(std::size_t index, Change change) {
    std::vector<char> bytes = good;
    const Header header = header_of(bytes);
    char* const at = bytes.data() + header.traces_offset + index * sizeof(TraceEntry);
    TraceEntry entry;
    std::memcpy(&entry, at, sizeof entry);
    change(entry);
    std::memcpy(at, &entry, sizeof entry);
    return refusal_of(sealed(std::move(bytes), header));
  }

  static Header header_of(const std::vector<char>& bytes) {
    Header header;
    std::memcpy(&header, bytes.data(), sizeof header);
    return header;
  }
  // Computed over the sections at the offsets of the valid header, regardless of the changed header.
  std::vector<char> sealed(std::vector<char> bytes, Header header) const {
    const Header old = header_of(good);
    const auto part = [&](std::uint64_t offset, std::size_t size) {
      return std::as_bytes(std::span(bytes)).subspan(offset, size);
    };
    header.checksum = checksum(header, part(old.threads_offset, std::size_t{4} * old.thread_count),
                               part(old.traces_offset, old.trace_count * sizeof(TraceEntry)));
    std::memcpy(bytes.data(), &header, sizeof header);
    return bytes;
  }

  test::TemporaryDirectory directory;
  std::filesystem::path file = directory.path() / "suspect";
  std::vector<char> good;
};

TEST_F(SegmentRefusalTest, ACopyOfAGoodOneIsAccepted) { EXPECT_EQ(refusal_of(good), ""); }

TEST_F(SegmentRefusalTest, TruncatedAtAnyLengthIsRefused) {
  for (std::size_t length = 0; length < good.size(); length += length < 700 ? 1 : 37) {
    EXPECT_THAT(refusal_of({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length)}),
                HasSubstr("truncated"))
        << length << " bytes";
  }
}

TEST_F(SegmentRefusalTest, LongerThanItSaysIsRefused) {
  test::write_file(file, good);
  const Header header = header_of(good);
  std::filesystem::resize_file(file, header.log_offset + header.log_bytes + 1);
  EXPECT_THAT(test::refusal_of(file), HasSubstr("size is wrong"));
}

TEST_F(SegmentRefusalTest, AnySingleBitFlippedInHeaderOrDirectoryIsRefusedOrHarmless) {
  const Header header = header_of(good);
  const std::uint64_t threads_end = header.threads_offset + std::uint64_t{4} * header.thread_count;
  const std::uint64_t log_end = sizeof(Header) + offsetof(Lifecycle, log_end);
  const auto guarded = [&](std::uint64_t at) {
    return at < sizeof(Header) || (at >= log_end && at < log_end + sizeof(std::uint64_t)) ||
           (at >= header.threads_offset && at < threads_end) ||
           (at >= header.traces_offset && at < header.rings_offset);
  };
  for (std::uint64_t at = 0; at < header.rings_offset; ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::vector<char> flipped = good;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
      EXPECT_EQ(!refusal_of(flipped).empty(), guarded(at)) << "byte " << at << " bit " << bit;
    }
  }
}

TEST_F(SegmentRefusalTest, AnyBitsInTheRingsAreHarmless) {
  std::mt19937 random(4711);
  const Header header = header_of(good);
  for (int round = 0; round < 300; ++round) {
    std::vector<char> noisy = good;
    for (std::uint64_t at = header.rings_offset; at < noisy.size(); ++at) {
      if (random() % 3 == 0) noisy[at] = static_cast<char>(random());
    }
    EXPECT_EQ(refusal_of(noisy), "");
  }
}

TEST_F(SegmentRefusalTest, NoiseIsRefused) {
  std::mt19937 random(4712);
  for (int round = 0; round < 300; ++round) {
    std::vector<char> noise(random() % 5000);
    for (char& byte : noise) byte = static_cast<char>(random());
    EXPECT_NE(refusal_of(noise), "");
  }
}

// --- forged headers and directories, with a valid checksum -------------------------------------------------

constexpr std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();

TEST_F(SegmentRefusalTest, AnotherLayoutVersionIsNamed) {
  EXPECT_THAT(refusal_with_header([](Header& h) { h.layout_version = 1; }),
              HasSubstr("layout is version 1; this program reads version 7"));
}

TEST_F(SegmentRefusalTest, AnotherByteOrderIsNamed) {
  EXPECT_THAT(refusal_with_header([](Header& h) { h.byte_order = 0x04030201; }), HasSubstr("byte order"));
}

TEST_F(SegmentRefusalTest, RanksOutOfRangeAreRefused) {
  EXPECT_EQ(refusal_with_header([](Header& h) { h.job = 1, h.rank = JobMember::max_ranks - 1; }), "");
  EXPECT_THAT(refusal_with_header([](Header& h) { h.job = 1, h.rank = JobMember::max_ranks; }),
              HasSubstr("its rank is out of range"));
}

TEST_F(SegmentRefusalTest, OffsetsAndCountsThatLieAreRefused) {
  const std::vector<std::pair<std::string, void (*)(Header&)>> lies{
      {"threads_offset", [](Header& h) { h.threads_offset += 64; }},
      {"states_offset", [](Header& h) { h.states_offset = 0; }},
      {"traces_offset", [](Header& h) { h.traces_offset = huge; }},
      {"rings_offset", [](Header& h) { h.rings_offset = huge - 64; }},
      {"trace_count", [](Header& h) { h.trace_count = 3; }},
      {"trace_count, most", [](Header& h) { h.trace_count = std::numeric_limits<std::uint32_t>::max(); }},
      {"trace_count, allowed",
       [](Header& h) {
         h.trace_count = max_traces;
         h.rings_offset = offsets(h.thread_count, max_traces, 0).rings;
       }},
      {"trace_count, less",
       [](Header& h) {
         h.trace_count = 1;
         h.rings_offset = offsets(h.thread_count, 1, 0).rings;
       }},
      {"thread_count", [](Header& h) { h.thread_count = 17; }},
      {"thread_count, most", [](Header& h) { h.thread_count = std::numeric_limits<std::uint32_t>::max(); }},
      {"log_offset", [](Header& h) { h.log_offset = huge; }},
      {"log_offset, none", [](Header& h) { h.log_offset = 0; }},
      {"log_offset, less", [](Header& h) { h.log_offset -= 64; }},
      {"log_bytes", [](Header& h) { h.log_bytes = huge; }},
      {"log_bytes, not aligned", [](Header& h) { h.log_bytes += 1; }}};
  for (const auto& [name, lie] : lies) EXPECT_NE(refusal_with_header(lie), "") << name;
}

TEST_F(SegmentRefusalTest, EntriesThatLieAreRefused) {
  const std::vector<std::pair<std::string, void (*)(TraceEntry&)>> lies{
      {"threshold 0", [](TraceEntry& e) { e.threshold = 0; }},
      {"threshold 1 more", [](TraceEntry& e) { ++e.threshold; }},
      {"threshold 1 less", [](TraceEntry& e) { --e.threshold; }},
      {"threshold, most", [](TraceEntry& e) { e.threshold = std::numeric_limits<std::uint32_t>::max(); }},
      {"block at the header", [](TraceEntry& e) { e.block = 0; }},
      {"block beyond the end", [](TraceEntry& e) { e.block = huge - 63; }},
      {"block not aligned", [](TraceEntry& e) { e.block += 1; }},
      {"no lanes", [](TraceEntry& e) { e.lanes = 0; }},
      {"a lane without a ring", [](TraceEntry& e) { e.lanes = 2; }},
      {"more lanes than a block has", [](TraceEntry& e) { e.lanes = TraceRing::max_lanes + 1; }},
      {"another lane", [](TraceEntry& e) { e.lane = 1; }},
      {"name without end", [](TraceEntry& e) { std::fill(std::begin(e.name), std::end(e.name), 'x'); }}};
  for (std::size_t index = 0; index < 2; ++index) {
    for (const auto& [name, lie] : lies) EXPECT_NE(refusal_with_entry(index, lie), "") << name;
  }
}

TEST_F(SegmentRefusalTest, OverlappingRingsAreRefused) {
  std::uint64_t first = 0;
  refusal_with_entry(0, [&](TraceEntry& e) { first = e.block; });
  EXPECT_THAT(refusal_with_entry(1, [&](TraceEntry& e) { e.block = first; }), HasSubstr("entry 1"));
}

TEST_F(SegmentRefusalTest, NamesWithoutEndAreRefused) {
  EXPECT_THAT(refusal_with_header([](Header& h) { std::fill(std::begin(h.node), std::end(h.node), 'n'); }),
              HasSubstr("not terminated"));
}

TEST_F(SegmentRefusalTest, EachNameOfTheHeaderNeedsAnEnd) {
  const std::vector<std::pair<std::string, void (*)(Header&)>> lies{
      {"session", [](Header& h) { std::fill(std::begin(h.session), std::end(h.session), 's'); }},
      {"node", [](Header& h) { std::fill(std::begin(h.node), std::end(h.node), 'n'); }},
      {"process", [](Header& h) { std::fill(std::begin(h.process), std::end(h.process), 'p'); }}};
  for (const auto& [name, lie] : lies)
    EXPECT_THAT(refusal_with_header(lie), HasSubstr("not terminated")) << name;
}

TEST_F(SegmentRefusalTest, AClockThatMakesNoSenseIsRefused) {
  for (const double pace :
       {0.0, -1.0, 1e9, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THAT(refusal_with_header([&](Header& h) { h.clock.ns_per_tick = pace; }), HasSubstr("clock"));
  }
  for (const double error : {-1.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THAT(refusal_with_header([&](Header& h) { h.clock.error_ppm = error; }), HasSubstr("clock"));
  for (const auto source : {ClockSource{9}, ClockSource::realtime})
    EXPECT_THAT(refusal_with_header([&](Header& h) { h.clock.source = source; }), HasSubstr("clock"));
}

// --- files that are not ours ------------------------------------------------------------------------------

TEST_F(SegmentRefusalTest, AForeignFileIsNamed) {
  EXPECT_THAT(refusal_of(std::vector<char>(4096, 'x')), HasSubstr("not a segment"));
}

TEST_F(SegmentRefusalTest, AMissingFileIsNamed) {
  EXPECT_THAT(test::refusal_of(file), HasSubstr("No such file"));
}

TEST_F(SegmentRefusalTest, ASymbolicLinkIsNotFollowed) {
  test::write_file(directory.path() / "good", good);
  std::filesystem::create_symlink(directory.path() / "good", file);
  EXPECT_THAT(test::refusal_of(file), HasSubstr("cannot open"));
}

TEST_F(SegmentRefusalTest, APipeAndADirectoryAreRefusedAtOnce) {
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_THAT(test::refusal_of(file), HasSubstr("not a regular file"));
  EXPECT_THAT(test::refusal_of(directory.path()), HasSubstr("not a regular file"));
}

TEST_F(SegmentRefusalTest, AFileThatOthersMayUseIsRefused) {
  test::write_file(file, good);
  for (const int mode : {0640, 0604, 0620, 0602, 0610}) {
    ASSERT_EQ(::chmod(file.c_str(), static_cast<mode_t>(mode)), 0);
    EXPECT_THAT(test::refusal_of(file), HasSubstr("other users have access to it"));
  }
}

TEST_F(SegmentRefusalTest, AnotherUsersFileIsRefused) {
  test::write_file(file, good);
  if (::chown(file.c_str(), 4711, static_cast<gid_t>(-1)) != 0)
    GTEST_SKIP() << "only root can give files away";
  EXPECT_THAT(test::refusal_of(file), HasSubstr("belongs to user 4711"));
}

TEST_F(SegmentRefusalTest, AFileTruncatedLaterIsNoticed) {
  test::write_file(file, good);
  const SegmentView view(file);
  ASSERT_EQ(::truncate(file.c_str(), 600), 0);
  EXPECT_FALSE(view.intact());
}

}  // namespace
}  // namespace eventspace
