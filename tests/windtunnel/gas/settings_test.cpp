#include "apps/windtunnel/gas/settings.h"

#include <gtest/gtest.h>

#include "apps/windtunnel/program/crew.h"
#include "apps/windtunnel/program/progress_bar.h"

namespace eventspace::windtunnel {
namespace {

TEST(Settings, HaveAPictureEverySoManyStepsAndAtTheEnd) {
  const Settings settings{{}, 25, 10};
  std::vector<std::uint64_t> frames;
  for (std::uint64_t step = 0; step <= 25; ++step)
    if (settings.is_frame_due(step)) frames.push_back(step);
  EXPECT_EQ(frames, (std::vector<std::uint64_t>{10, 20, 25}));
}

TEST(Settings, SampleSomeStepsBeforeEachPicture) {
  const Settings settings{{}, 1000, 500};
  std::uint64_t samples = 0;
  for (std::uint64_t step = 1; step <= 500; ++step) samples += settings.is_sample_due(step) ? 1 : 0;
  EXPECT_EQ(samples, 16U);
  EXPECT_TRUE(settings.is_sample_due(500));
  EXPECT_TRUE(settings.is_sample_due(1000));
  EXPECT_FALSE(settings.is_sample_due(100));
}

TEST(Settings, HaveNoPicturesUnlessAskedFor) {
  EXPECT_FALSE(Settings{}.is_frame_due(1000));
  EXPECT_FALSE(Settings{}.is_sample_due(1000));
}

TEST(Settings, HaveCellsThatAFieldCanHave) {
  for (const std::size_t n : {32U, 96U, 960U, 7680U, 65536U}) {
    const Settings settings{{.n = n}};
    EXPECT_EQ(settings.cell() % 8, 0U);
    EXPECT_GE(settings.cell(), 8U);
    EXPECT_LE(settings.cell(), n);
  }
}

TEST(Crew, KnowsWorkersByTheirNames) {
  EXPECT_EQ(worker_number("t0"), 0U);
  EXPECT_EQ(worker_number("t139"), 139U);
  for (const auto* name : {"main", "t", "t01", "t1x", "x1", "t-1"}) EXPECT_FALSE(worker_number(name)) << name;
}

TEST(ProgressBar, Fills) {
  EXPECT_EQ(draw_bar(0, 100, 4), "[....] 0 of 100 steps");
  EXPECT_EQ(draw_bar(50, 100, 4), "[##..] 50 of 100 steps");
  EXPECT_EQ(draw_bar(100, 100, 4), "[####] 100 of 100 steps");
}

}  // namespace
}  // namespace eventspace::windtunnel
