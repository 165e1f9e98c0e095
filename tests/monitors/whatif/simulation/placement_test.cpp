#include "monitors/whatif/simulation/placement.h"

#include <gmock/gmock.h>

#include <eventspace/error.h>

namespace eventspace::whatif {
namespace {

using testing::ElementsAre;

TEST(Placement, TasksAreInBlocksInTurnOrAsListed) {
  const Network any;
  EXPECT_THAT(place_tasks(5, "block", 2, any), ElementsAre(0, 0, 1, 1, 2));
  EXPECT_THAT(place_tasks(5, "cyclic", 2, any), ElementsAre(0, 1, 2, 0, 1));
  EXPECT_THAT(place_tasks(5, "0-1,0-1,7", 1, any), ElementsAre(0, 1, 0, 1, 7));
  const Network named{.name = "two", .stations = {"left", "right"}};
  EXPECT_THAT(place_tasks(3, "right,left,right", 1, named), ElementsAre(1, 0, 1));
}

TEST(Placement, ListsThatDoNotFitAreRefused) {
  const Network two{.name = "two", .stations = {"a", "b"}};
  EXPECT_THROW((void)place_tasks(3, "block", 1, two), ConfigurationError);
  EXPECT_THROW((void)place_tasks(3, "0,1", 1, two), ConfigurationError);
  EXPECT_THROW((void)place_tasks(1, "c", 1, two), ConfigurationError);
  EXPECT_THROW((void)place_tasks(1, "", 1, two), ConfigurationError);
  EXPECT_THAT(place_tasks(4, "block", 2, two), ElementsAre(0, 0, 1, 1));
}

}  // namespace
}  // namespace eventspace::whatif
