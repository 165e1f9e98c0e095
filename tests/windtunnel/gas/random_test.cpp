#include "apps/windtunnel/gas/random.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <set>

#include "apps/windtunnel/gas/gas.h"

namespace eventspace::windtunnel {
namespace {

TEST(RandomWord, DiffersBySeedPurposeStepRowAndWord) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    for (const auto purpose : {Purpose::initial, Purpose::inflow, Purpose::collision})
      for (std::uint64_t step = 0; step < 8; ++step)
        for (std::uint64_t row = 0; row < 8; ++row)
          for (std::uint64_t word = 0; word < 8; ++word)
            seen.insert(random_word(row_key(seed, purpose, step, row), word));
  EXPECT_EQ(seen.size(), 4U * 3 * 8 * 8 * 8);
}

TEST(RandomWord, HasEachBitSetHalfOfTheTime) {
  constexpr int kWords = 10000;
  for (unsigned bit = 0; bit < 64; ++bit) {
    int set = 0;
    for (std::uint64_t row = 0; row < kWords; ++row)
      set += static_cast<int>((random_word(row_key(1, Purpose::collision, 5, row), row % 7) >> bit) & 1U);
    EXPECT_NEAR(set, 0.5 * kWords, 250) << "bit " << bit;  // five standard deviations
  }
}

// 2000 words are 128000 sites, so that a share is within 0.007 in five standard deviations.
TEST(Gas, FillsAndFeedsEachChannelWithItsProbability) {
  const TunnelConfig config{.density = 0.25, .speed = 0.2};
  const Gas gas(config);
  const auto inflow = inflow_occupation(config);
  for (const auto channel : kAllChannels) {
    const auto eastward = momentum_of(channel).x;
    const double expected = eastward == 0 ? inflow.neutral : (eastward > 0 ? inflow.east : inflow.west);
    int filled = 0;
    int fed = 0;
    for (std::size_t row = 0; row < 2000; ++row) {
      filled += std::popcount(gas.initial_word(channel, row, 3));
      for (std::uint64_t step = 0; step < 64; ++step) fed += gas.enters(channel, row, step) ? 1 : 0;
    }
    EXPECT_NEAR(filled / 128000.0, expected, 0.007);
    if (eastward != 0) {
      EXPECT_NEAR(fed / 128000.0, expected, 0.007);
    }
  }
}

}  // namespace
}  // namespace eventspace::windtunnel
