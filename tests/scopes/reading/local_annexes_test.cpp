#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scopes/reading/local_segments.h"
#include "tests/scopes/reading/process_talk.h"

// Segments of processes that have annexes in another directory, and annexes that outlive their segments.

namespace eventspace {
namespace {

using testing::HasSubstr;

class LocalAnnexesTest : public testing::Test {
 protected:
  LocalAnnexesTest() {
    config.created_realtime_ns = 4711;
    annex_config = config;
    annex_config.annex = "long";
    annex_config.traces = {{"t7/out@after-1", 8, 40, 7, 2, 3}};
    annex_config.directory = elsewhere.path();
    annex_config.log_bytes = 0;
  }
  /// Returns the number of trace elements that are found for the process; 0 if it does not have a segment.
  std::size_t found() {
    const auto newest = segments.find("p0").newest;
    return newest->segment == nullptr ? 0 : newest->segment->traces().size();
  }
  /// Puts a copy of a file into its place, with the id of a process that does not exist.
  void leave_dead(const std::filesystem::path& file, const std::vector<char>& bytes) {
    constexpr std::int32_t beyond_all_ids = (1 << 22) + 1;
    test::write_file(
        file, test::with_header(bytes, [](segment_layout::Header& header) { header.pid = beyond_all_ids; }));
  }

  test::TemporaryDirectory directory, elsewhere;
  Segment::Config config{test::small_segment(directory.path())};
  Segment::Config annex_config;
  LocalSegments segments{{.session = "wind",
                          .node = "n1",
                          .fingerprint = 0xfeed,
                          .directory = directory.path(),
                          .rescan = std::chrono::nanoseconds(0),
                          .annex_directories = {elsewhere.path()}}};
};

TEST_F(LocalAnnexesTest, AnAnnexIsFoundWithItsSegment) {
  const Segment annex(annex_config);
  const Segment segment(config);
  EXPECT_EQ(found(), 3u);
  EXPECT_EQ(segments.find("p0").newest->number, 1);
}

TEST_F(LocalAnnexesTest, InTheDirectoryOfSegmentsTooWithoutAnyOther) {
  annex_config.directory = directory.path();
  const Segment annex(annex_config);
  const Segment segment(config);
  EXPECT_EQ(found(), 3u);
}

TEST_F(LocalAnnexesTest, AnAnnexWhoseProcessIsJustMakingItsSegmentWaitsForIt) {
  const Segment annex(annex_config);
  EXPECT_EQ(found(), 0u);
  const Segment segment(config);
  EXPECT_EQ(found(), 3u);
}

TEST_F(LocalAnnexesTest, AnAnnexThatIsLeftOfADeadProcessIsRead) {
  std::vector<char> bytes;
  std::filesystem::path file;
  {
    Segment annex(annex_config);
    TraceWriter writer = annex.writer(0);
    test::record_events(writer, 1, 2);
    file = annex.path();
    bytes = test::content_of(file);
  }
  leave_dead(file, bytes);
  EXPECT_EQ(found(), 1u);
  EXPECT_EQ(segments.find("p0").newest->segment->traces()[0].reader.published(), 2u);
}

TEST_F(LocalAnnexesTest, WhenTheSegmentOfARunIsRemovedNoOtherRunBegins) {
  std::vector<char> of_segment, of_annex;
  std::filesystem::path segment_file, annex_file;
  {
    const Segment annex(annex_config);
    const Segment segment(config);
    segment_file = segment.path();
    annex_file = annex.path();
    of_segment = test::content_of(segment_file);
    of_annex = test::content_of(annex_file);
  }
  leave_dead(annex_file, of_annex);
  leave_dead(segment_file, of_segment);
  EXPECT_EQ(found(), 3u);
  std::filesystem::remove(segment_file);
  EXPECT_EQ(found(), 3u);  // it stays mapped
  EXPECT_EQ(segments.find("p0").newest->number, 1);
}

TEST_F(LocalAnnexesTest, AnAnnexThatIsRefusedIsNamed) {
  const Segment segment(config);
  const auto file = elsewhere.path() / (segment.path().filename().string() + ".long.annex");
  test::write_file(file, std::vector<char>(1000, 'x'));
  EXPECT_EQ(found(), 0u);
  EXPECT_THAT(segments.find("p0").refusal, HasSubstr(file.string()));
}

}  // namespace
}  // namespace eventspace
