#include "scopes/reading/name_news.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scopes/reading/process_talk.h"

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// The names of process 100, which is dynamic.
class NameNewsTest : public testing::Test {
 protected:
  NameNewsTest() {
    name(OwnNameOf::probe, 7, "step");
    generation->segment = std::make_unique<SegmentView>(segment.path());
  }
  void name(OwnNameOf of, std::uint32_t number, const std::string& text) {
    ASSERT_TRUE(segment.add_name({static_cast<std::uint16_t>(of), number, text}));
  }
  std::vector<std::string> pull(bool has_last_arrived = true) {
    news.settle(has_last_arrived);
    (void)seen.refresh();
    View view;
    news.report(process, seen, sources, view);
    std::vector<std::string> texts;
    for (const OwnName& name : view.names) texts.push_back(name.text);
    return texts;
  }

  test::TemporaryDirectory directory;
  Segment segment{test::small_segment(directory.path())};
  SegmentView seen{segment.path()};
  std::shared_ptr<Generation> generation = std::make_shared<Generation>();
  test::PlainNames names;
  NamedProcess process{DynamicProcess{100, "solver", "n1", std::nullopt, generation}, names};
  ProcessSources sources{100, LocalNumbering(100)};
  NameNews news;
};

TEST_F(NameNewsTest, EachNameIsReportedUntilAViewWithItArrives) {
  EXPECT_THAT(pull(), ElementsAre("solver", "n1", "step"));
  EXPECT_FALSE(news.are_all_reported(process, seen));
  EXPECT_THAT(pull(false), ElementsAre("solver", "n1", "step"));
  EXPECT_THAT(pull(), IsEmpty());
  EXPECT_TRUE(news.are_all_reported(process, seen));
  name(OwnNameOf::probe, 8, "solve");
  EXPECT_THAT(pull(), ElementsAre("solve"));
}

TEST_F(NameNewsTest, AProcessDoesNotNameOtherProcesses) {
  name(OwnNameOf::process, 1, "other");
  EXPECT_THAT(pull(), ElementsAre("solver", "n1", "step"));
}

TEST_F(NameNewsTest, AnotherRunReportsAllItsNames) {
  (void)pull();
  (void)pull();
  news.begin_run();
  EXPECT_THAT(pull(), ElementsAre("solver", "n1", "step"));
}

}  // namespace
}  // namespace eventspace
