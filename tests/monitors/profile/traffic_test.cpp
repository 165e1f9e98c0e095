#include "monitors/profile/traffic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/monitors/mpi/job_view.h"

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::FieldsAre;

class TrafficTest : public testing::Test {
 protected:
  test::JobView job{2};
  Traffic traffic{job.names};
};

TEST_F(TrafficTest, FlowsWithMostBytesComeFirst) {
  const std::uint32_t world = test::JobView::world;
  traffic.add_message({Traffic::Parties::ranks, 0, 1, world}, 10);
  traffic.add_message({Traffic::Parties::ranks, 1, 0, world}, 30);
  traffic.add_message({Traffic::Parties::ranks, 0, 1, world}, 15);
  EXPECT_THAT(traffic.flows(), ElementsAre(FieldsAre("rank 1", "rank 0", "world (2)", 1u, 30u),
                                           FieldsAre("rank 0", "rank 1", "world (2)", 2u, 25u)));
}

TEST_F(TrafficTest, ATaskIsNamedAfterItsThreadEvenIfThatIsKnownLater) {
  traffic.add_message({Traffic::Parties::tasks_of_pvm, 7, 8, 0}, 1);
  traffic.name_task(7, test::JobView::thread(0));
  EXPECT_THAT(traffic.flows(), ElementsAre(FieldsAre("app.0", "t8", "PVM", 1u, 1u)));
}

TEST_F(TrafficTest, SizesAreDividedAtPowersOfTwo) {
  for (const std::uint64_t bytes : {0, 4, 7, 8}) traffic.add_size(Traffic::Sort::message, bytes);
  EXPECT_THAT(traffic.sizes(),
              ElementsAre(FieldsAre("message", 0u, 0u, 1u, 0u), FieldsAre("message", 4u, 7u, 2u, 11u),
                          FieldsAre("message", 8u, 15u, 1u, 8u)));
}

TEST(BoundedMap, CountsAttemptsToAddMoreEntriesThanItHolds) {
  BoundedMap<int, int, 2> map;
  for (const int key : {1, 2}) *map.entry(key) = 10 * key;
  EXPECT_EQ(map.entry(3), nullptr);
  EXPECT_EQ(map.entry(3), nullptr);
  ASSERT_NE(map.entry(2), nullptr);
  EXPECT_EQ(*map.entry(2), 20);
  EXPECT_EQ(map.left_out(), 2u);
}

}  // namespace
}  // namespace eventspace
