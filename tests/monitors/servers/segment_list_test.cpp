#include "monitors/servers/segment_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <utility>

#include "tests/scopes/reading/process_talk.h"
#include "tests/tuplespace/other_namespaces.h"
#include "tests/tuplespace/shared/shared_memory.h"
#include "tuplespace/shared/element_file.h"
#include "tuplespace/trace/control_file.h"

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

// --- processes of containers that share the directory ----------------------------------------------------

class ProcessesElsewhere : public SegmentListTest {
 protected:
  /// A process in a PID namespace of its own that has a segment, an element file and a control file.
  [[nodiscard]] std::unique_ptr<test::ProcessElsewhere> live() const {
    return std::make_unique<test::ProcessElsewhere>(test::Namespaces{}, [this] {
      const ControlFile control({"wind", "n1", "p0", 0xfeed}, segments.path());
      const Segment segment(test::small_segment(segments.path()));
      const ElementFile elements({{"wind", "n1", "p0", 0xfeed}, {}, segments.path()});
      while (true) ::pause();
      return 0;
    });
  }
  /// Waits until the files exist.
  [[nodiscard]] bool are_there() const {
    return test::comes_true([this] {
      return kinds() == std::vector<std::string_view>{"segment", "elements"};
    });
  }
  /// The states, and how many files a removal of all orphans removes, as seen by a process in another
  /// namespace.
  [[nodiscard]] std::pair<SegmentState, std::size_t> seen_elsewhere() const {
    test::ProcessElsewhere watcher({}, [this] {
      const auto entries = list();
      if (entries.empty()) return 99;
      return static_cast<int>(entries[0].state) * 10 + static_cast<int>(remove_orphans(entries));
    });
    const int status = watcher.status();
    return {static_cast<SegmentState>(status / 10), static_cast<std::size_t>(status % 10)};
  }
};

TEST_F(ProcessesElsewhere, AreAliveFromOutsideAndNothingOfThemIsRemovedUntilTheyAreKilled) {
  if (const auto why = test::why_no_namespaces({}); !why.empty()) GTEST_SKIP() << why;
  auto process = live();
  ASSERT_TRUE(are_there());
  for (const SegmentEntry& entry : list()) {
    EXPECT_EQ(entry.state, SegmentState::alive) << entry.file;
    EXPECT_EQ(entry.pid, process->pid());
    EXPECT_TRUE(entry.is_seen);
  }
  EXPECT_EQ(remove_orphans(list()), 0u);
  EXPECT_EQ(list().size(), 2u);
  process.reset();
  for (const SegmentEntry& entry : list()) EXPECT_EQ(entry.state, SegmentState::dead) << entry.file;
  EXPECT_EQ(remove_orphans(list()), 2u);
  EXPECT_EQ(list().size(), 0u);
}

TEST_F(ProcessesElsewhere, AreAliveFromANeighbourTooAndNothingOfThemIsRemovedUntilTheyAreKilled) {
  if (const auto why = test::why_no_namespaces({}); !why.empty()) GTEST_SKIP() << why;
  auto process = live();
  ASSERT_TRUE(are_there());
  EXPECT_EQ(seen_elsewhere(), std::pair(SegmentState::alive, std::size_t{0}));
  ::kill(process->pid(), SIGSTOP);
  EXPECT_EQ(seen_elsewhere(), std::pair(SegmentState::alive, std::size_t{0}));
  process.reset();
  EXPECT_EQ(seen_elsewhere(), std::pair(SegmentState::dead, std::size_t{2}));
}

TEST_F(ProcessesElsewhere, WithoutALockAreUnknownAndNothingOfThemIsRemoved) {
  leave(segments.path(), "", 2h, std::nullopt);
  const auto file = list()[0].file;
  test::write_file(file, test::with_header(test::content_of(file), [](segment_layout::Header& header) {
                     header.origin.pid_namespace += 1'000'000;
                     header.origin.has_lock = 0;
                   }));
  EXPECT_EQ(to_string(list()[0].state), "unknown");
  EXPECT_FALSE(list()[0].is_orphan());
  EXPECT_EQ(remove_orphans(list()), 0u);
  EXPECT_EQ(remove_orphans(list(), 0s), 0u);
}

TEST_F(ProcessesElsewhere, ARefusedFileIsNotAnOrphanWhileItIsLocked) {
  if (const auto why = test::why_no_namespaces({}); !why.empty()) GTEST_SKIP() << why;
  const auto process = live();
  ASSERT_TRUE(are_there());
  std::fstream(list()[0].file, std::ios::in | std::ios::out | std::ios::binary) << "junk";
  EXPECT_EQ(list()[0].state, SegmentState::refused);
  EXPECT_FALSE(list()[0].is_orphan());
}

}  // namespace
}  // namespace eventspace
