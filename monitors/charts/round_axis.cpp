#include "monitors/charts/round_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace eventspace {

RoundAxis::RoundAxis(double low, double high) {
  if (high - low < 1e-9 * std::max(std::abs(high), std::abs(low)) || high <= low)
    high = low + std::max(std::abs(low) * 0.1, 0.01);
  const double rough = (high - low) / 5;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  step = 10 * power;
  for (const double nice : {1.0, 2.0, 5.0}) {
    if (nice * power < rough) continue;
    step = nice * power;
    break;
  }
  least = std::floor(low / step) * step;
  most = std::ceil(high / step) * step;
}

RoundAxis RoundAxis::of_count(std::size_t count) {
  RoundAxis axis(0, 1);
  axis.most = static_cast<double>(std::max<std::size_t>(count, 1));
  axis.step = 1;
  return axis;
}

int RoundAxis::digits() const { return std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9))); }

std::vector<double> RoundAxis::steps() const {
  std::vector<double> all;
  const auto count = static_cast<int>(std::lround((most - least) / step));
  for (int i = 0; i <= count; ++i) all.push_back(least + i * step);
  return all;
}

std::string RoundAxis::label(double value) const {
  constexpr double large = 1e6;
  constexpr int max_digits = 4;
  if (std::max(std::abs(least), std::abs(most)) >= large || digits() > max_digits)
    return std::abs(value) < step / 2 ? "0" : fmt::format("{:.4g}", value);
  return fmt::format("{:.{}f}", value, digits());
}

}  // namespace eventspace
