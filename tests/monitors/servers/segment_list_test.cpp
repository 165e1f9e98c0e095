#include "monitors/servers/segment_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/scopes/reading/process_talk.h"

// The files that killed processes leave, and how long each is kept.

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

class SegmentListTest : public testing::Test {
 protected:
  SegmentListTest() { ::setenv("EVENTSPACE_SHM_DIR", segments.path().c_str(), 1); }
  ~SegmentListTest() override { ::unsetenv("EVENTSPACE_SHM_DIR"); }

  /// Leaves a file of a process that was killed, without an event since `age` before now.
  void leave(const std::filesystem::path& directory, const std::string& annex, std::chrono::nanoseconds age,
             std::optional<std::chrono::nanoseconds> keep) const {
    Segment::Config config = test::small_segment(directory);
    config.annex = annex;
    config.keep = keep;
    config.created_realtime_ns =
        std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch() - age).count();
    std::filesystem::path file;
    std::vector<char> bytes;
    {
      const Segment segment(config);
      file = segment.path();
      bytes = test::content_of(file);
    }
    constexpr std::int32_t beyond_all_ids = (1 << 22) + 1;
    test::write_file(
        file, test::with_header(bytes, [](segment_layout::Header& header) { header.pid = beyond_all_ids; }));
  }
  [[nodiscard]] std::vector<SegmentEntry> list() const { return list_segments("wind", {elsewhere.path()}); }
  [[nodiscard]] std::vector<std::string_view> kinds() const {
    std::vector<std::string_view> kinds;
    for (const SegmentEntry& entry : list()) kinds.push_back(to_string(entry.kind));
    return kinds;
  }

  test::TemporaryDirectory segments, elsewhere;
};

TEST_F(SegmentListTest, AnnexesAreListedWhereverThePlanHasThem) {
  leave(segments.path(), "", 0s, std::nullopt);
  leave(segments.path(), "long", 0s, 48h);
  leave(elsewhere.path(), "big", 0s, std::nullopt);
  leave(elsewhere.path(), "", 0s, std::nullopt);  // a segment there belongs to another $EVENTSPACE_SHM_DIR
  EXPECT_THAT(kinds(), ElementsAre("segment", "annex", "annex"));
  for (const SegmentEntry& entry : list()) EXPECT_EQ(entry.state, SegmentState::dead) << entry.refusal;
}

TEST_F(SegmentListTest, EachFileIsKeptForItsOwnTime) {
  leave(segments.path(), "", 2h, std::nullopt);
  leave(segments.path(), "short", 2h, 1min);
  leave(elsewhere.path(), "long", 2h, 48h);
  EXPECT_EQ(remove_orphans(list(), 3h), 1u);
  EXPECT_THAT(kinds(), ElementsAre("segment", "annex"));
  EXPECT_EQ(remove_orphans(list(), 1h), 1u);
  ASSERT_THAT(kinds(), ElementsAre("annex"));
  EXPECT_EQ(list()[0].keep, 48h);
}

TEST_F(SegmentListTest, OnRequestAllOrphansAreRemovedWhateverTheirTime) {
  leave(segments.path(), "", 0s, std::nullopt);
  leave(elsewhere.path(), "long", 0s, 48h);
  EXPECT_EQ(remove_orphans(list()), 2u);
  EXPECT_THAT(kinds(), ElementsAre());
}

}  // namespace
}  // namespace eventspace
