#include "scopes/metrics/language/keywords.h"

#include <algorithm>
#include <array>

namespace eventspace::metrics {
namespace {

// In the order of Aggregate, and of Moment.
constexpr std::array<std::string_view, 9> aggregates{"SUM",   "PROD",  "MIN",    "MAX",       "MEAN",
                                                     "STDEV", "COUNT", "UNIQUE", "PERCENTILE"};
constexpr std::array<std::string_view, 3> moments{"NOW", "START", "LAST"};
constexpr std::array<std::string_view, 10> others{"AT",  "WHERE", "IN",     "AND",     "OR",
                                                  "NOT", "PROBE", "RETURN", "MATCHES", "RATE"};

template <class Meaning>
std::optional<Meaning> meaning_of(std::string_view word, const auto& keywords) noexcept {
  const auto found =
      std::ranges::find_if(keywords, [&](auto keyword) { return is_same_word(keyword, word); });
  if (found == keywords.end()) return std::nullopt;
  return static_cast<Meaning>(found - keywords.begin());
}

}  // namespace

bool is_same_word(std::string_view left, std::string_view right) noexcept {
  const auto upper = [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; };
  return std::ranges::equal(left, right, {}, upper, upper);
}

bool is_keyword(std::string_view word) noexcept {
  return aggregate_named(word) || moment_named(word) ||
         std::ranges::any_of(others, [&](auto keyword) { return is_same_word(keyword, word); });
}

std::optional<Aggregate> aggregate_named(std::string_view word) noexcept {
  return meaning_of<Aggregate>(word, aggregates);
}

std::optional<Moment> moment_named(std::string_view word) noexcept {
  return meaning_of<Moment>(word, moments);
}

std::string_view to_string(Aggregate aggregate) noexcept {
  return aggregates[static_cast<std::size_t>(aggregate)];
}

std::string_view to_string(Moment moment) noexcept { return moments[static_cast<std::size_t>(moment)]; }

}  // namespace eventspace::metrics
