#include "paths/parameters/nearest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace eventspace {

namespace {

constexpr std::size_t longest_compared = 64;

/// Restricted Damerau-Levenshtein distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  std::iota(previous.begin(), previous.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        current[j] = std::min(current[j], before[j - 2] + 1);
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.size() > longest_compared) return {};
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const auto candidate : candidates) {
    if (candidate.size() > longest_compared || candidate == word) continue;
    const auto far = distance(word, candidate);
    if (far >= best_distance || far >= candidate.size()) continue;
    best = candidate;
    best_distance = far;
  }
  return best;
}

std::string hint(std::string_view word, std::span<const std::string_view> candidates, std::size_t most) {
  if (candidates.empty()) return "; there are none";
  const auto meant = nearest(word, candidates);
  const auto shown = candidates.first(std::min(most, candidates.size()));
  return fmt::format(
      "{}; known: {}{}", meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant),
      fmt::join(shown, ", "),
      shown.size() == candidates.size() ? "" : fmt::format(" and {} more", candidates.size() - most));
}

}  // namespace eventspace
