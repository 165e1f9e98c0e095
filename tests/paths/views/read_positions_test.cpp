#include "paths/views/read_positions.h"

#include <gmock/gmock.h>

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ReadPositionsTest, TheLastOfEachTraceElementCounts) {
  ReadPositions positions({{3, 0, 100, 1, 7}, {5, 0, 100, 1, 2}});
  positions.take({{3, 0, 100, 1, 9}, {3, 1, 101, 1, 4}});
  EXPECT_THAT(positions.list(), ElementsAre(ReadPosition{3, 0, 100, 1, 9}, ReadPosition{5, 0, 100, 1, 2},
                                            ReadPosition{3, 1, 101, 1, 4}));
}

TEST(ReadPositionsTest, ALaterRunReplacesAnEarlierOne) {
  ReadPositions positions({{3, 0, 100, 1, 7}});
  positions.take({{3, 0, 102, 5, 0}});
  EXPECT_THAT(positions.list(), ElementsAre(ReadPosition{3, 0, 102, 5, 0}));
}

TEST(ReadPositionsTest, ThoseOfAProcessThatIsOverAreForgotten) {
  ReadPositions positions({{3, 0, 100, 1, 7}, {5, 0, 100, 1, 2}, {3, 1, 101, 1, 4}});
  positions.take({ReadPosition::of_ended_process(0)});
  EXPECT_THAT(positions.list(), ElementsAre(ReadPosition{3, 1, 101, 1, 4}));
  positions.take({ReadPosition::of_ended_process(1), {3, 1, 102, 9, 1}});  // its number was given again
  EXPECT_THAT(positions.list(), ElementsAre(ReadPosition{3, 1, 102, 9, 1}));
}

TEST(ReadPositionsTest, AnUnknownTraceElementHasNone) {
  const ReadPositions positions({{3, 1, 100, 1, 7}});
  EXPECT_EQ(positions.find(1, 3)->sequence, 7u);
  EXPECT_EQ(positions.find(3, 1), nullptr);
  EXPECT_THAT(ReadPositions().list(), IsEmpty());
}

}  // namespace
}  // namespace eventspace
