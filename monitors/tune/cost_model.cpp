#include "monitors/tune/cost_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "monitors/tune/least_squares.h"
#include "monitors/tune/median.h"

namespace eventspace::tune {
namespace {

constexpr std::array sharings{0.0, 0.25, 0.5, 0.75, 1.0};
// Large enough to determine prices that no measurement determines, too small to distort the others.
constexpr double hold = 1e-3;
constexpr double min_error = 0.03;

std::vector<double> usual_parts(const Counts& counts) {
  std::vector<double> parts;
  for (std::size_t i = 0; i < costs; ++i) parts.push_back(counts.at(i) * usual_seconds.at(i));
  return parts;
}

std::vector<double> parts_of(const TreeWork& work, double sharing) {
  Counts counts{};
  for (std::size_t i = 0; i < costs; ++i) {
    const double way = work.on_the_way.at(i);
    counts.at(i) = way + sharing * (work.in_all.at(i) - way);
  }
  return usual_parts(counts);
}

double sum(const std::vector<double>& values) {
  double all = 0;
  for (const double value : values) all += value;
  return all;
}

double product(const std::vector<double>& a, const std::vector<double>& b) {
  double all = 0;
  for (std::size_t i = 0; i < a.size(); ++i) all += a[i] * b[i];
  return all;
}

Counts in_seconds(const std::vector<double>& prices) {
  Counts seconds{};
  for (std::size_t i = 0; i < prices.size(); ++i) seconds.at(i) = prices[i] * usual_seconds.at(i);
  return seconds;
}

}  // namespace

void CostModel::add(const TreeWork& work, const Figures& measured) { samples_.push_back({work, measured}); }

void CostModel::fit() {
  double best = std::numeric_limits<double>::infinity();
  for (const double sharing : sharings) {
    const auto prices = fit_pulls(sharing);
    const double off = misfit(prices, sharing);
    if (off >= best) continue;
    best = off;
    sharing_ = sharing;
    pull_ = prices;
  }
  const auto n = static_cast<double>(samples_.size());
  rate_error_ = std::max(best, min_error) * std::sqrt(1 + static_cast<double>(costs) / n);
  fit_application();
}

std::vector<double> CostModel::fit_pulls(double sharing) const {
  std::vector<Equation> equations;
  std::vector<double> scales;
  for (const Sample& sample : samples_) {
    // A rate that the pace limits shows only that the tree is fast enough.
    if (sample.measured.rate <= 0 ||
        (pace_ > 0 && sample.measured.rate > 0.95 * pace_ && samples_.size() > 1))
      continue;
    auto parts = parts_of(sample.work, sharing);
    for (double& part : parts) part *= sample.measured.rate;
    scales.push_back(1 / sum(parts));
    equations.push_back({std::move(parts), 1, 1});
  }
  const double scale = scales.empty() ? 1 : median(scales);
  return least_squares(equations, std::vector<double>(costs, scale), hold / (scale * scale));
}

double CostModel::misfit(const std::vector<double>& prices, double sharing) const {
  double squares = 0;
  for (const Sample& sample : samples_) {
    if (sample.measured.rate <= 0) continue;
    const double off = unpaced(pull_seconds(sample.work, prices, sharing)) / sample.measured.rate - 1;
    squares += off * off;
  }
  return std::sqrt(squares / static_cast<double>(std::max<std::size_t>(samples_.size(), 1)));
}

double CostModel::pull_seconds(const TreeWork& work, const std::vector<double>& prices,
                               double sharing) const {
  return product(parts_of(work, sharing), prices);
}

double CostModel::unpaced(double seconds) const {
  const double rate = 1 / std::max(seconds, 1e-9);
  return pace_ > 0 ? std::min(rate, pace_) : rate;
}

void CostModel::fit_application() {
  std::vector<Equation> equations;
  std::vector<double> scales;
  for (const Sample& sample : samples_) {
    auto parts = usual_parts(sample.work.in_all);
    for (double& part : parts) part *= sample.measured.rate;
    scales.push_back(std::max(0.0, sample.measured.slowdown - 1) / std::max(sum(parts), 1e-12));
    equations.push_back({std::move(parts), sample.measured.slowdown - 1, 1});
  }
  application_ = least_squares(equations, std::vector<double>(costs, median(scales)), hold);
  double squares = 0;
  for (const Equation& e : equations) {
    const double off = product(e.factors, application_) - e.value;
    squares += off * off;
  }
  const auto n = static_cast<double>(std::max<std::size_t>(equations.size(), 1));
  slowdown_error_ = std::sqrt(squares / n) * std::sqrt(1 + static_cast<double>(costs) / n);
}

Figures CostModel::predict(const TreeWork& work) const {
  Figures figures;
  figures.rate = unpaced(pull_seconds(work, pull_, sharing_));
  figures.slowdown = 1 + figures.rate * product(usual_parts(work.in_all), application_);
  return figures;
}

Counts CostModel::pull_prices() const { return in_seconds(pull_); }
Counts CostModel::application_prices() const { return in_seconds(application_); }

}  // namespace eventspace::tune
