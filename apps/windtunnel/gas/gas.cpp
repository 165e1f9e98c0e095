#include "apps/windtunnel/gas/gas.h"

#include <cmath>

#include "apps/windtunnel/gas/random.h"

namespace eventspace::windtunnel {
namespace {

constexpr unsigned kCoinBits = 16;
constexpr std::uint32_t kCertain = 1U << kCoinBits;

double occupation_of(Channel channel, const Occupation& occupation) {
  const auto eastward = momentum_of(channel).x;
  if (eastward == 0) return occupation.neutral;
  return eastward > 0 ? occupation.east : occupation.west;
}

// Each slanted channel uses a quarter of one random word.
unsigned quarter(Channel channel) {
  const auto momentum = momentum_of(channel);
  return (momentum.x > 0 ? 2U : 0U) + (momentum.y > 0 ? 1U : 0U);
}

}  // namespace

Gas::Gas(const TunnelConfig& config) : seed_(config.seed), thresholds_{} {
  const auto occupation = inflow_occupation(config);
  for (const auto channel : kAllChannels)
    thresholds_[index_of(channel)] =
        static_cast<std::uint32_t>(std::lround(occupation_of(channel, occupation) * kCertain));
}

// Compares 64 random numbers of 16 bits with the threshold at once, from the lowest bit up.
std::uint64_t Gas::initial_word(Channel channel, std::size_t row, std::size_t word) const {
  const auto threshold = thresholds_[index_of(channel)];
  // 2^16 has no bit among the 16 that are compared.
  if (threshold == kCertain) return ~std::uint64_t{0};
  const auto key = row_key(seed_, Purpose::initial, index_of(channel), row);
  std::uint64_t below = 0;
  for (unsigned bit = 0; bit < kCoinBits; ++bit) {
    const auto coin = random_word(key, word * kCoinBits + bit);
    below = ((threshold >> bit) & 1U) != 0 ? coin | below : coin & below;
  }
  return below;
}

bool Gas::enters(Channel channel, std::size_t row, std::uint64_t step) const {
  const auto random = random_word(row_key(seed_, Purpose::inflow, step, row), 0);
  const auto coin = (random >> (quarter(channel) * kCoinBits)) % kCertain;
  return coin < thresholds_[index_of(channel)];
}

}  // namespace eventspace::windtunnel
