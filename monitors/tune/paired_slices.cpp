#include "monitors/tune/paired_slices.h"

#include <algorithm>
#include <random>

#include "monitors/tune/median.h"

namespace eventspace::tune {
namespace {

constexpr std::size_t draws = 1000;

}  // namespace

Estimate estimate(const std::vector<SlicePair>& pairs, std::uint64_t seed) {
  std::vector<double> rates;
  std::vector<double> slowdowns;
  for (const SlicePair& pair : pairs) {
    rates.push_back(pair.rate);
    slowdowns.push_back(pair.slowdown);
  }
  std::mt19937_64 random(seed);
  std::vector<double> medians;
  std::vector<double> drawn(slowdowns.size());
  for (std::size_t i = 0; i < draws; ++i) {
    for (double& value : drawn) value = slowdowns[random() % slowdowns.size()];
    medians.push_back(median(drawn));
  }
  std::sort(medians.begin(), medians.end());
  return {{median(rates), median(slowdowns)},
          medians[draws * 25 / 1000],
          medians[draws * 975 / 1000],
          pairs.size()};
}

}  // namespace eventspace::tune
