#include "scopes/gathering/back_off.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

TEST(BackOffTest, TheRestDoublesUpToItsBound) {
  BackOff back_off(100ms, 1s);
  BackOff::Clock::time_point now;
  std::vector<std::int64_t> rests;
  for (int i = 0; i < 6; ++i) {
    back_off.late(now);
    rests.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(back_off.left(now)).count());
    now += back_off.left(now);
  }
  EXPECT_THAT(rests, ElementsAre(100, 200, 400, 800, 1000, 1000));
}

TEST(BackOffTest, AnAnswerMakesTheNextRestAFirstOne) {
  BackOff back_off(100ms, 1h);
  const BackOff::Clock::time_point now;
  back_off.late(now);
  back_off.late(now);
  back_off.answered();
  back_off.late(now);
  EXPECT_EQ(back_off.left(now), 100ms);
}

TEST(BackOffTest, ItIsOverWhenItsTimeIsUpAndNeverNegative) {
  BackOff back_off(100ms, 1h);
  const BackOff::Clock::time_point now;
  EXPECT_EQ(back_off.left(now).count(), 0);
  back_off.late(now);
  EXPECT_GT(back_off.left(now + 99ms).count(), 0);
  EXPECT_EQ(back_off.left(now + 100ms).count(), 0);
  EXPECT_EQ(back_off.left(now + 1h).count(), 0);
}

}  // namespace
}  // namespace eventspace
