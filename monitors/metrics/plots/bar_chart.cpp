#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "monitors/metrics/plots/chart_frame.h"
#include "monitors/metrics/plots/charts.h"

namespace eventspace {
namespace {

using Anchor = Picture::Anchor;
using Plotted = PlotData::Metric;

constexpr std::size_t max_bars = 64;
constexpr std::size_t max_names = 12;  // that fit under the bars; with more, every n-th is written

void draw_bar(Picture& picture, const ChartFrame& frame, double from, double to, double value) {
  const double foot = frame.y(0);
  const double head = frame.y(value);
  picture.box({from, foot}, {to, head}, bar_colour, "#333333");
}

}  // namespace

void draw_bars(Picture& picture, double top, const Plotted& metric) {
  const std::size_t count = std::min(metric.series.size(), max_bars);
  double least = 0.0;
  double most = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    least = std::min(least, metric.series[i].newest);
    most = std::max(most, metric.series[i].newest);
  }
  const ChartFrame frame(picture, top, {0, static_cast<double>(count)}, {least, most});
  draw_title(
      picture, top, metric,
      metric.series.size() > count ? fmt::format("the first {} of {}", count, metric.series.size()) : "");
  frame.draw_y(metric.unit.label);
  const double width = (frame.right() - ChartFrame::left) / static_cast<double>(count);
  const std::size_t every = (count + max_names - 1) / max_names;
  for (std::size_t i = 0; i < count; ++i) {
    const double from = ChartFrame::left + width * static_cast<double>(i);
    draw_bar(picture, frame, from + 0.15 * width, from + 0.85 * width, metric.series[i].newest);
    if (i % every == 0)
      picture.words({from + width / 2, frame.bottom() + 18}, Anchor::middle,
                    shortened(name_of(metric, metric.series[i]), count > 6 ? 9 : 18));
  }
}

void draw_histogram(Picture& picture, double top, const Plotted& metric) {
  std::vector<double> values;
  for (const PlotData::Series& series : metric.series) {
    for (const PlotData::Point& point : series.points) values.push_back(point.y);
  }
  const auto [least, most] = std::ranges::minmax(values);
  // The number of ranges is the root of the number of values, the usual choice; their bounds are round
  // numbers.
  const RoundAxis x(least, most);
  const std::size_t wanted =
      std::clamp<std::size_t>(static_cast<std::size_t>(std::sqrt(static_cast<double>(values.size()))), 5, 40);
  const auto ranges = static_cast<double>(std::max<std::size_t>(wanted, 1));
  std::vector<std::size_t> counts(static_cast<std::size_t>(ranges), 0);
  for (const double value : values) {
    const auto place = static_cast<std::size_t>(x.share(value) * ranges);
    ++counts[std::min(place, counts.size() - 1)];
  }
  const ChartFrame frame(picture, top, x, {0, static_cast<double>(*std::ranges::max_element(counts))});
  draw_title(picture, top, metric, fmt::format("frequencies of {} values", values.size()));
  frame.draw_y("values");
  frame.draw_x(metric.unit.label);
  const double width = (frame.right() - ChartFrame::left) / ranges;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double from = ChartFrame::left + width * static_cast<double>(i);
    if (counts[i] > 0) draw_bar(picture, frame, from, from + width, static_cast<double>(counts[i]));
  }
}

}  // namespace eventspace
