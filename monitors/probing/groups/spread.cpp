#include "monitors/probing/groups/spread.h"

#include <algorithm>
#include <limits>

namespace eventspace {

std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::uint64_t>::max() : sum;
}

void Spread::add(std::uint64_t value, std::string_view process) {
  merge({1, value, value, value, std::string(process), std::string(process)});
}

void Spread::merge(const Spread& other) {
  if (other.count == 0) return;
  if (count == 0) {
    *this = other;
    return;
  }
  count = saturated_sum(count, other.count);
  sum = saturated_sum(sum, other.sum);
  if (other.least < least || (other.least == least && other.least_at < least_at)) {
    least = other.least;
    least_at = other.least_at;
  }
  if (other.greatest > greatest || (other.greatest == greatest && other.greatest_at < greatest_at)) {
    greatest = other.greatest;
    greatest_at = other.greatest_at;
  }
}

void FunctionSpread::merge(const FunctionSpread& other) {
  calls.merge(other.calls);
  total_ns.merge(other.total_ns);
  own_ns.merge(other.own_ns);
  left_out = saturated_sum(left_out, other.left_out);
  values.resize(std::max(values.size(), other.values.size()));
  for (std::size_t i = 0; i < other.values.size(); ++i) values[i].merge(other.values[i]);
  histogram.resize(std::max(histogram.size(), other.histogram.size()));
  for (std::size_t i = 0; i < other.histogram.size(); ++i)
    histogram[i] = saturated_sum(histogram[i], other.histogram[i]);
}

}  // namespace eventspace
