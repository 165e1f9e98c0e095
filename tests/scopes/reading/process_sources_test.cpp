#include "scopes/reading/process_sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scopes/reading/segment_fixture.h"

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ProcessSourcesTest : public test::SegmentFixture {
 protected:
  static ProcessSources sources_of(std::initializer_list<std::uint32_t> traces) {
    ProcessSources sources;
    for (const std::uint32_t trace : traces) sources.add(trace);
    return sources;
  }
  static std::string newest(const ProcessSources& sources) {
    Pull pull;
    sources.read_newest(pull);
    return test::told(pull.view);
  }
  static std::string unread(ProcessSources& sources) {
    for (TraceCursor& cursor : sources.cursors()) cursor.set_share(1000);
    Pull pull;
    sources.read_unread(pull);
    return test::told(pull.view);
  }
};

TEST_F(ProcessSourcesTest, FindsTraceElementsByNumberInTheirOwnOrder) {
  record(2);
  test::record(second, 1);
  ProcessSources sources = sources_of({5, 99, 3});
  EXPECT_EQ(sources.size(), 3u);
  EXPECT_EQ(sources.found(), 0u);
  EXPECT_EQ(newest(sources), "");
  sources.bind(seen, false);
  EXPECT_EQ(sources.found(), 2u);
  EXPECT_EQ(sources.cursors()[1].found(), nullptr);
  EXPECT_EQ(newest(sources), "1 2");
  EXPECT_EQ(unread(sources), "1 1 2");
}

TEST_F(ProcessSourcesTest, TheNewestComesWithTheOperationInFlight) {
  record(1);
  test::begin_pattern(first, 2);
  ProcessSources sources = sources_of({3});
  sources.bind(seen, false);
  EXPECT_EQ(newest(sources), "1 2*");
}

TEST_F(ProcessSourcesTest, NamesTheThreadsThatRecordEachOnce) {
  ProcessSources sources = sources_of({5, 3, 3});
  sources.bind(seen, false);
  EXPECT_THAT(sources.threads(), ElementsAre(0, 1));
  ProcessSources one = sources_of({5});
  one.bind(seen, false);
  EXPECT_THAT(one.threads(), ElementsAre(1));
  EXPECT_THAT(sources_of({5}).threads(), IsEmpty());
}

TEST_F(ProcessSourcesTest, AreReadOutWhenAllOfThemAre) {
  ProcessSources sources = sources_of({3, 5, 99});
  sources.bind(seen, false);
  EXPECT_TRUE(sources.is_read_out());
  test::record(second, 1);
  EXPECT_FALSE(sources.is_read_out());
  EXPECT_EQ(unread(sources), "1");
  sources.settle(true);
  EXPECT_TRUE(sources.is_read_out());
}

TEST_F(ProcessSourcesTest, AnotherRunIsReadFromItsBeginning) {
  record(2);
  ProcessSources sources = sources_of({3, 5});
  sources.bind(seen, false);
  EXPECT_EQ(unread(sources), "1 2");
  sources.settle(true);
  Segment::Config config = test::small_segment(directory.path());
  config.identity.process = "p1";
  config.traces.resize(1);
  Segment other(config);
  TraceWriter writer = other.writer(0);
  test::record(writer, 1);
  const SegmentView other_seen(other.path());
  sources.bind(other_seen, true);
  EXPECT_EQ(sources.found(), 1u);
  EXPECT_EQ(unread(sources), "1");
}

}  // namespace
}  // namespace eventspace
