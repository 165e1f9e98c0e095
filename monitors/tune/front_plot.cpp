#include "monitors/tune/front_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "monitors/charts/chart.h"

namespace eventspace::tune {
namespace {

constexpr double height = 520;

std::vector<Figures> measured_in(const Outcome& outcome) {
  std::vector<Figures> all;
  for (const Tried& tried : outcome.tried)
    if (tried.measured) all.push_back(tried.measured->figures);
  return all;
}

RoundAxis range_of_rates(const Outcome& outcome) {
  double most = outcome.goal.min_rate.value_or(0);
  for (const Figures& figures : measured_in(outcome)) most = std::max(most, figures.rate);
  return {0, most};
}

RoundAxis range_of_slowdowns(const Outcome& outcome) {
  double least = std::min(1.0, outcome.goal.max_slowdown.value_or(1));
  double most = std::max(1.0, outcome.goal.max_slowdown.value_or(1));
  for (const Figures& figures : measured_in(outcome)) {
    least = std::min(least, figures.slowdown);
    most = std::max(most, figures.slowdown);
  }
  return {least, most};
}

void draw_goal(Chart& chart, const Goal& goal, const RoundAxis& rates, const RoundAxis& slowdowns) {
  constexpr Picture::Pen dashed{"#cc3333", 1, true};
  if (const auto& most = goal.max_slowdown) chart.curve({{rates.least, *most}, {rates.most, *most}}, dashed);
  if (const auto& least = goal.min_rate)
    chart.curve({{*least, slowdowns.least}, {*least, slowdowns.most}}, dashed);
}

std::vector<Chart::Point> corners_of(const Outcome& outcome) {
  const std::vector<Figures> measured = measured_in(outcome);
  const auto is_in_front = pareto_front(measured);
  std::vector<Chart::Point> corners;
  for (std::size_t i = 0; i < measured.size(); ++i)
    if (is_in_front[i]) corners.push_back({measured[i].rate, measured[i].slowdown});
  std::ranges::sort(corners, {}, &Chart::Point::x);
  return corners;
}

void draw_tree(Chart& chart, const Tried& tried, bool is_best, const RoundAxis& rates) {
  const Figures& figures = tried.measured->figures;
  const Chart::Point at{figures.rate, figures.slowdown};
  const std::string_view colour = is_best ? "#ee8800" : tried.given ? "#33aa33" : "#99bbdd";
  chart.dot(
      at, is_best ? 7 : 4.5, colour,
      fmt::format("{}: {:.1f} pulls a second, slowdown {:.3f}", tried.words, figures.rate, figures.slowdown));
  if (!is_best && !tried.given) return;
  const std::string as_is = tried.given ? "as it is: " : "";
  const bool is_at_left = rates.share(figures.rate) < 0.5;
  chart.words(at, {is_at_left ? 11.0 : -11.0, is_best ? -9.0 : 18.0},
              is_at_left ? Picture::Anchor::start : Picture::Anchor::end,
              (is_best ? (tried.given ? "best, " : "best: ") : "") + as_is + tried.words);
}

}  // namespace

Picture draw_front(const Outcome& outcome) {
  const RoundAxis rates = range_of_rates(outcome);
  const RoundAxis slowdowns = range_of_slowdowns(outcome);
  Picture picture(chart_width, height);
  Chart chart(picture, fmt::format("Scope {}: the slowdown and observe rate of its trees", outcome.scope),
              {"observe rate (pulls a second)", rates}, {"slowdown of the application", slowdowns},
              {.height = height});
  draw_goal(chart, outcome.goal, rates, slowdowns);
  const std::vector<Chart::Point> corners = corners_of(outcome);
  if (corners.size() > 1) chart.curve(corners, {"#3366cc", 1.5});
  for (std::size_t i = 0; i < outcome.tried.size(); ++i)
    if (outcome.tried[i].measured) draw_tree(chart, outcome.tried[i], outcome.best == i, rates);
  return picture;
}

}  // namespace eventspace::tune
