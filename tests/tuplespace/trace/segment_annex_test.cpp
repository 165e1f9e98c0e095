#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuplespace/trace/segment_talk.h"
#include "tuplespace/trace/segment.h"

// A segment with an annex: an additional file of the same run, in a separate directory.

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;

class SegmentAnnexTest : public testing::Test {
 protected:
  SegmentAnnexTest() {
    segment.created_realtime_ns = 4711;
    annex = segment;
    annex.traces = {{"t7/out@after-1", 8, 40, 7, 2, 3}};
    annex.directory = elsewhere.path();
    annex.annex = "long";
    annex.keep = 48h;
    annex.log_bytes = 0;
  }
  /// Returns why the annex is refused; "" if it is accepted.
  [[nodiscard]] std::string refusal() const {
    const Segment made_annex(annex);
    const Segment made(segment);
    SegmentView view(made.path());
    const std::size_t before = view.traces().size();
    try {
      view.attach(made_annex.path());
      return "";
    } catch (const EnvironmentError& error) {
      EXPECT_EQ(view.traces().size(), before);
      return error.what();
    }
  }

  test::TemporaryDirectory directory, elsewhere;
  Segment::Config segment{test::small_segment(directory.path())};
  Segment::Config annex;
};

TEST_F(SegmentAnnexTest, ItsTraceElementsAreReadLikeTheOthers) {
  Segment made_annex(annex);
  Segment made(segment);
  SegmentView view(made.path());
  view.attach(made_annex.path());
  ASSERT_EQ(view.traces().size(), 3u);
  EXPECT_EQ(view.traces()[2].spec.name, "t7/out@after-1");
  TraceWriter writer = made_annex.writer(0);
  test::record(writer, 1);
  EXPECT_EQ(view.traces()[2].reader.newest()->words[0], 1u);
  EXPECT_TRUE(view.intact());
}

TEST_F(SegmentAnnexTest, WhatTheProcessAddsComesBehindThem) {
  Segment made_annex(annex);
  Segment made(segment);
  SegmentView view(made.path());
  view.attach(made_annex.path());
  const std::array added{test::added_trace("t17/added@thread", 9)};
  ASSERT_TRUE(made.add_traces(added));
  EXPECT_TRUE(view.refresh());
  EXPECT_EQ(view.traces()[3].spec.name, "t17/added@thread");
}

TEST_F(SegmentAnnexTest, TheFileSaysWhatItIsAndHowLongItIsKept) {
  const Segment made_annex(annex);
  const Segment made(segment);
  EXPECT_EQ(made_annex.path().filename().string(), made.path().filename().string() + ".long.annex");
  EXPECT_TRUE(is_annex(made_annex.path()));
  EXPECT_EQ(session_files::segment_name_of(made_annex.path()), made.path().filename());
  EXPECT_EQ(SegmentView(made_annex.path()).annex(), "long");
  EXPECT_EQ(SegmentView(made_annex.path()).keep(), 48h);
  EXPECT_EQ(SegmentView(made.path()).annex(), "");
  EXPECT_EQ(SegmentView(made.path()).keep(), std::nullopt);
  EXPECT_THAT(find_annexes("wind", "n1", elsewhere.path()), ElementsAre(made_annex.path()));
  EXPECT_THAT(find_segments("wind", "n1", elsewhere.path()), IsEmpty());
}

TEST_F(SegmentAnnexTest, ATruncatedAnnexIsNotIntact) {
  Segment made_annex(annex);
  Segment made(segment);
  SegmentView view(made.path());
  view.attach(made_annex.path());
  std::filesystem::resize_file(made_annex.path(), 64);
  EXPECT_FALSE(view.intact());
}

TEST_F(SegmentAnnexTest, TheAnnexOfAnotherRunIsRefused) {
  EXPECT_EQ(refusal(), "");
  annex.created_realtime_ns = 4712;
  EXPECT_THAT(refusal(), HasSubstr("it is not an annex of " + directory.path().string()));
  annex.created_realtime_ns = 4711;
  annex.identity.fingerprint = 1;
  EXPECT_THAT(refusal(), HasSubstr("it is not an annex of"));
  annex.identity.fingerprint = segment.identity.fingerprint;
  annex.clock.ns_per_tick = 2;
  EXPECT_THAT(refusal(), HasSubstr("it is not an annex of"));
}

TEST_F(SegmentAnnexTest, AnAnnexOfJunkIsRefused) {
  const Segment made(segment);
  SegmentView view(made.path());
  const auto file = elsewhere.path() / (made.path().filename().string() + ".long.annex");
  test::write_file(file, std::vector<char>(1000, 'x'));
  EXPECT_THROW(view.attach(file), EnvironmentError);
  EXPECT_THROW(view.attach(elsewhere.path() / "absent"), EnvironmentError);
  EXPECT_EQ(view.traces().size(), 2u);
}

}  // namespace
}  // namespace eventspace
