#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <limits>
#include <random>

#include "tests/error_text.h"
#include "tests/tuplespace/trace/forged_entry.h"
#include "tests/tuplespace/trace/segment_talk.h"
#include "tuplespace/system/mapping.h"
#include "tuplespace/trace/segment_layout.h"

// Invalid logs, in files that are opened and in files that have been opened.

namespace eventspace {
namespace {

using namespace segment_layout;
using test::inventory_of;
using testing::HasSubstr;

constexpr std::uint64_t log_end_offset = sizeof(Header) + offsetof(Lifecycle, log_end);

/// A file with a small segment to which a thread, two trace elements and two names were added. Tests change
/// its memory.
class SegmentLogRefusalTest : public testing::Test {
 protected:
  SegmentLogRefusalTest() {
    Segment::Config config = test::small_segment(directory.path());
    config.log_bytes = 8192;
    Segment segment(config);
    segment.add_thread(17, 4711).value();
    segment.add_traces(std::vector{test::added_trace("a", 8), test::added_trace("b", 9)}).value();
    EXPECT_TRUE(segment.add_name({0, 17, "first"}));
    EXPECT_TRUE(segment.add_name({0, 18, "second"}));
    good = test::content_of(segment.path());
    std::memcpy(&header, good.data(), sizeof header);
    std::memcpy(&log_end, good.data() + log_end_offset, sizeof log_end);
    test::write_file(file, good);
  }

  static constexpr std::size_t entry_count = 4;
  /// The offset of an entry in the file.
  [[nodiscard]] std::size_t entry(std::size_t index) const {
    std::size_t at = header.log_offset;
    for (; index > 0; --index)
      at += test::head_at(reinterpret_cast<const std::byte*>(good.data() + at)).bytes;
    return at;
  }
  std::string refusal_of(const std::vector<char>& content) {
    test::write_file(file, content);
    return test::refusal_of(file);
  }
  [[nodiscard]] std::vector<char> with_log_end(std::uint64_t end) const {
    std::vector<char> changed = good;
    std::memcpy(changed.data() + log_end_offset, &end, sizeof end);
    return changed;
  }
  /// Overwrites bytes of the file while it may be mapped.
  template <class Value>
  void overwrite(std::size_t offset, const Value& value) {
    const FileHandle handle(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
    ASSERT_EQ(::pwrite(handle.get(), &value, sizeof value, static_cast<off_t>(offset)), sizeof value);
  }
  static std::string failed_refresh(SegmentView& view) {
    return test::error_text<EnvironmentError>([&] { view.refresh(); });
  }

  test::TemporaryDirectory directory;
  std::filesystem::path file = directory.path() / "suspect";
  std::vector<char> good;
  Header header{};
  std::uint64_t log_end{0};
};

TEST_F(SegmentLogRefusalTest, ACopyOfAGoodOneIsAccepted) {
  EXPECT_EQ(refusal_of(good), "");
  EXPECT_EQ(inventory_of(SegmentView(file)),
            "threads 7 9 17=4711, traces t7/north@thread(0) t9/south@element(0) a(0) b(0), "
            "names 0:17 first 0:18 second");
}

TEST_F(SegmentLogRefusalTest, ALogThatIsTruncatedAnywhereIsRefused) {
  const auto end = static_cast<std::ptrdiff_t>(header.log_offset + log_end);
  for (auto length = static_cast<std::ptrdiff_t>(header.log_offset); length < end; length += 31)
    EXPECT_THAT(refusal_of({good.begin(), good.begin() + length}), HasSubstr("truncated")) << length;
  EXPECT_EQ(refusal_of({good.begin(), good.begin() + end}), "");
}

TEST_F(SegmentLogRefusalTest, EndsThatLieAreRefused) {
  const std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint64_t lie :
       {log_end + 64, entry(1) + 64 - header.log_offset, std::uint64_t{64}, log_end - 1, log_end + 1,
        std::uint64_t{8192}, std::uint64_t{8192 + 64}, huge, huge - 63})
    EXPECT_NE(refusal_of(with_log_end(lie)), "") << lie;
}

TEST_F(SegmentLogRefusalTest, AnEndBetweenTwoEntriesIsThatOfAYoungerLog) {
  for (std::size_t i = 0; i < entry_count; ++i)
    EXPECT_EQ(refusal_of(with_log_end(entry(i) - header.log_offset)), "") << i;
}

TEST_F(SegmentLogRefusalTest, AnEndBeyondTheFileIsRefusedAndNotAccessed) {
  std::vector<char> small = with_log_end(8192);
  small.resize(header.log_offset + log_end);
  EXPECT_THAT(refusal_of(small), HasSubstr("truncated"));
}

TEST_F(SegmentLogRefusalTest, ADamagedEntryIsNamed) {
  for (std::size_t i = 0; i < entry_count; ++i) {
    std::vector<char> damaged = good;
    damaged[entry(i) + 12] ^= 1;  // its number
    EXPECT_THAT(refusal_of(damaged),
                HasSubstr("entry " + std::to_string(i) + " of its log is invalid: its checksum is wrong"));
  }
}

TEST_F(SegmentLogRefusalTest, AnySingleBitFlippedInTheLogIsRefusedOrHarmless) {
  const std::size_t end = header.log_offset + log_end;
  for (std::size_t at = header.log_offset; at < end; ++at) {
    std::vector<char> flipped = good;
    flipped[at] ^= 4;
    const std::string refusal = refusal_of(flipped);
    const bool in_thread_state = at >= entry(0) + 64 && at < entry(1);
    const bool in_rings = at >= entry(1) + 64 + 2 * sizeof(TraceEntry) && at < entry(2);
    EXPECT_EQ(refusal.empty(), in_thread_state || in_rings) << "byte " << at - header.log_offset;
  }
}

TEST_F(SegmentLogRefusalTest, NoiseInTheLogIsRefusedOrHarmless) {
  std::mt19937 random(4715);
  for (int round = 0; round < 300; ++round) {
    std::vector<char> noisy = good;
    for (std::size_t at = header.log_offset; at < noisy.size(); ++at) {
      if (random() % 64 == 0) noisy[at] = static_cast<char>(random());
    }
    refusal_of(noisy);  // and does not crash
  }
}

TEST_F(SegmentLogRefusalTest, SizesOfTheLogThatLieAreRefused) {
  const auto with = [this](std::uint64_t log_bytes) {
    std::vector<char> bytes = good;
    Header changed = header;
    changed.log_bytes = log_bytes;
    const auto part = [&](std::uint64_t offset, std::size_t size) {
      return std::as_bytes(std::span(bytes)).subspan(offset, size);
    };
    changed.checksum = checksum(changed, part(header.threads_offset, std::size_t{4} * header.thread_count),
                                part(header.traces_offset, header.trace_count * sizeof(TraceEntry)));
    std::memcpy(bytes.data(), &changed, sizeof changed);
    return bytes;
  };
  EXPECT_EQ(refusal_of(with(Segment::max_log_bytes)), "");
  for (const std::uint64_t lie : {Segment::max_log_bytes + 64, std::uint64_t{0}, log_end - 64, log_end + 1,
                                  std::numeric_limits<std::uint64_t>::max()})
    EXPECT_NE(refusal_of(with(lie)), "") << lie;
}

// --- after the file was opened ----------------------------------------------------------------------------

TEST_F(SegmentLogRefusalTest, AViewServesWhatItHadWhenALaterEntryIsDamaged) {
  test::write_file(file, with_log_end(entry(2) - header.log_offset));
  SegmentView view(file);
  const std::string had = inventory_of(view);
  EXPECT_THAT(had, HasSubstr("b(0), names"));
  overwrite(entry(3) + 12, std::uint32_t{99});
  overwrite(log_end_offset, log_end);
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(failed_refresh(view), HasSubstr("entry 3 of its log is invalid"));
    EXPECT_EQ(inventory_of(view), had + " 0:17 first");
    EXPECT_TRUE(view.intact());
  }
  overwrite(entry(3) + 12, std::uint32_t{18});
  EXPECT_TRUE(view.refresh());
  EXPECT_EQ(inventory_of(view), had + " 0:17 first 0:18 second");
}

TEST_F(SegmentLogRefusalTest, ALogThatGoesBackwardsIsRefusedAndWhatWasReadIsServed) {
  SegmentView view(file);
  const std::string had = inventory_of(view);
  for (const std::uint64_t end : {log_end - 64, std::uint64_t{0}}) {
    overwrite(log_end_offset, end);
    EXPECT_THAT(failed_refresh(view), HasSubstr("after it ended at " + std::to_string(log_end)));
    EXPECT_EQ(inventory_of(view), had);
  }
}

TEST_F(SegmentLogRefusalTest, ALogThatEndsBehindItsAddressSpaceIsRefusedThoughTheFileHasGrown) {
  SegmentView view(file);
  ASSERT_EQ(::truncate(file.c_str(), static_cast<off_t>(header.log_offset + header.log_bytes + 4096)), 0);
  overwrite(log_end_offset, header.log_bytes + 64);
  EXPECT_THAT(failed_refresh(view), HasSubstr("it has room for 8192 bytes"));
}

TEST_F(SegmentLogRefusalTest, ALogThatIsTruncatedLaterIsNoticed) {
  SegmentView view(file);
  ASSERT_TRUE(view.intact());
  ASSERT_EQ(::truncate(file.c_str(), static_cast<off_t>(entry(2))), 0);
  EXPECT_FALSE(view.intact());
  overwrite(log_end_offset, log_end + 64);
  EXPECT_THAT(failed_refresh(view), HasSubstr("truncated"));
}

TEST_F(SegmentLogRefusalTest, AFileThatOnlyGrowsIsIntact) {
  const SegmentView view(file);
  ASSERT_EQ(::truncate(file.c_str(), static_cast<off_t>(header.log_offset + header.log_bytes)), 0);
  EXPECT_TRUE(view.intact());
  ASSERT_EQ(::truncate(file.c_str(), static_cast<off_t>(header.log_offset + header.log_bytes + 1)), 0);
  EXPECT_FALSE(view.intact());
}

}  // namespace
}  // namespace eventspace
