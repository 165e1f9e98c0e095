#include "scopes/reading/fair_shares.h"

#include <algorithm>

namespace eventspace {
namespace {

struct Level {
  std::uint64_t height{0};  // the share of each receiver that wants more
  std::uint64_t rest{0};    // remainder, smaller than the number of these receivers
};

// Serves the receivers with the smallest amounts first; the others then share the rest equally.
Level fill(std::vector<std::uint64_t> wanted, std::uint64_t total) {
  std::sort(wanted.begin(), wanted.end());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::uint64_t others = wanted.size() - i;
    if (wanted[i] > total / others) return {total / others, total % others};
    total -= wanted[i];
  }
  return {UINT64_MAX, 0};
}

bool suffices(std::uint64_t total, const std::vector<std::uint64_t>& wanted) {
  return std::ranges::all_of(wanted, [&total](std::uint64_t want) {
    const bool is_enough = want <= total;
    total -= is_enough ? want : 0;
    return is_enough;
  });
}

}  // namespace

std::vector<std::uint64_t> fair_shares(const std::vector<std::uint64_t>& wanted, std::uint64_t total,
                                       std::size_t first) {
  if (suffices(total, wanted)) return wanted;  // mostly: a pull takes more than was recorded since the last
  Level level = fill(wanted, total);
  std::vector<std::uint64_t> shares(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::size_t place = (first + i) % wanted.size();
    const bool wants_more = wanted[place] > level.height;
    shares[place] = std::min(wanted[place], level.height);
    if (!wants_more || level.rest == 0) continue;
    ++shares[place];
    --level.rest;
  }
  return shares;
}

}  // namespace eventspace
