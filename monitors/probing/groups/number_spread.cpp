#include "monitors/probing/groups/number_spread.h"

#include <cmath>

#include "monitors/probing/groups/spread.h"

namespace eventspace {
namespace {

using Number = NumberSpread::Number;

double real_of(const Number& number) {
  return std::visit([](auto value) { return static_cast<double>(value); }, number);
}

// Exact for numbers of one kind. Machines that answer the same order have the same kind.
bool is_less(const Number& a, const Number& b) {
  return a.index() == b.index() ? a < b : real_of(a) < real_of(b);
}

/// Whether the bound of `other` replaces the own one.
bool is_before(bool is_better, bool is_worse, const std::string& other_at, const std::string& at) {
  return is_better || (!is_worse && other_at < at);
}

}  // namespace

void NumberSpread::add(const Number& number, std::string_view process) {
  if (std::isnan(real_of(number))) {
    missing = saturated_sum(missing, 1);
    return;
  }
  merge({1, 0, real_of(number), number, number, std::string(process), std::string(process)});
}

void NumberSpread::merge(const NumberSpread& other) {
  missing = saturated_sum(missing, other.missing);
  if (other.count == 0) return;
  const bool is_first = count == 0;
  count = saturated_sum(count, other.count);
  sum += other.sum;
  if (is_first ||
      is_before(is_less(other.least, least), is_less(least, other.least), other.least_at, least_at)) {
    least = other.least;
    least_at = other.least_at;
  }
  if (is_first || is_before(is_less(greatest, other.greatest), is_less(other.greatest, greatest),
                            other.greatest_at, greatest_at)) {
    greatest = other.greatest;
    greatest_at = other.greatest_at;
  }
}

}  // namespace eventspace
