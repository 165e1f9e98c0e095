#include "scopes/reading/loss_news.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scopes/reading/process_talk.h"

namespace eventspace {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class LossNewsTest : public testing::Test {
 protected:
  std::vector<Missing> pull(bool has_last_arrived = true) {
    losses.settle(has_last_arrived);
    View view;
    losses.report_lost_runs(process, 2, view);
    losses.report_unrecorded(process, unrecorded, view);
    return view.missing;
  }

  test::PlainNames names;
  NamedProcess process{0, names};
  LossNews losses;
  std::uint64_t unrecorded{0};
};

TEST_F(LossNewsTest, ALostRunIsListedUntilAViewThatListsItArrives) {
  losses.add_lost_runs(1);
  ASSERT_THAT(pull(), SizeIs(1));
  losses.add_lost_runs(2);  // after the view was made
  const auto missing = pull(false);
  ASSERT_THAT(missing, SizeIs(1));
  EXPECT_EQ(missing[0].what, "process p0");
  EXPECT_EQ(missing[0].sources, 2u);
  EXPECT_THAT(missing[0].detail, HasSubstr("3 earlier runs"));
  EXPECT_THAT(pull(), IsEmpty());
}

TEST_F(LossNewsTest, UnrecordedThreadsAreListedWhenTheyBecomeMore) {
  unrecorded = 3;
  EXPECT_THAT(pull().at(0).detail, HasSubstr("record 3 more"));
  EXPECT_THAT(pull(), IsEmpty());
  unrecorded = 5;
  EXPECT_EQ(pull().at(0).sources, 2u);
  losses.begin_run();
  EXPECT_EQ(pull().at(0).sources, 5u);
}

}  // namespace
}  // namespace eventspace
