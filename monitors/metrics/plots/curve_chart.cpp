#include <fmt/format.h>

#include <algorithm>

#include "monitors/metrics/plots/chart_frame.h"
#include "monitors/metrics/plots/charts.h"

namespace eventspace {
namespace {

using Anchor = Picture::Anchor;
using Plotted = PlotData::Metric;
using Series = PlotData::Series;

constexpr double key_width = 170;
constexpr std::size_t max_curves = 64;  // further objects are only counted

struct Range {
  double least{0.0};
  double most{0.0};
};

template <class Of>
Range range_of(const Plotted& metric, Of of) {
  Range range{of(metric.series[0].points[0]), of(metric.series[0].points[0])};
  for (const Series& series : metric.series) {
    for (const PlotData::Point& point : series.points) {
      range.least = std::min(range.least, of(point));
      range.most = std::max(range.most, of(point));
    }
  }
  return range;
}

// When the colours are used up, curves are grey and thin: they show how many there are, and which one leaves
// the others.
Picture::Pen pen_of(std::size_t number) {
  if (number < chart_colours.size()) return {chart_colours[number], 1.8};
  return {"#bbbbbb", 0.8};
}

void draw_key(Picture& picture, const ChartFrame& frame, const Plotted& metric) {
  constexpr double line = 18;
  const double x = frame.right() + 14;
  double y = frame.top() + 6;
  for (std::size_t i = 0; i < std::min(metric.series.size(), chart_colours.size()); ++i, y += line) {
    picture.line({{x, y}, {x + 18, y}}, pen_of(i));
    picture.words({x + 24, y + 4}, Anchor::start, shortened(name_of(metric, metric.series[i]), 20));
  }
  if (metric.series.size() <= chart_colours.size()) return;
  picture.line({{x, y}, {x + 18, y}}, pen_of(chart_colours.size()));
  picture.words({x + 24, y + 4}, Anchor::start,
                fmt::format("{} more", metric.series.size() - chart_colours.size()));
}

// A value without neighbours is drawn as a dot.
void draw_piece(Picture& picture, const std::vector<Picture::Point>& points, const Picture::Pen& pen) {
  if (points.size() == 1) picture.circle(points[0], 3, pen.colour);
  if (points.size() > 1) picture.line(points, pen);
}

// The curve is interrupted where values are missing.
void draw_curve(Picture& picture, const ChartFrame& frame, const Series& series, const Picture::Pen& pen) {
  std::vector<Picture::Point> points;
  for (const PlotData::Point& point : series.points) {
    if (point.is_behind_gap) {
      draw_piece(picture, points, pen);
      points.clear();
    }
    points.push_back({frame.x(point.x), frame.y(point.y)});
  }
  draw_piece(picture, points, pen);
}

}  // namespace

void draw_curves(Picture& picture, double top, const Plotted& metric) {
  const Range x = range_of(metric, [](const PlotData::Point& point) { return point.x; });
  const Range y = range_of(metric, [](const PlotData::Point& point) { return point.y; });
  const bool has_key = metric.series.size() > 1;
  const ChartFrame frame(picture, top, {x.least, x.most}, {std::min(0.0, y.least), std::max(0.0, y.most)},
                         has_key ? key_width : 30);
  draw_title(picture, top, metric,
             has_key ? std::string() : shortened(name_of(metric, metric.series[0]), 60));
  frame.draw_y(metric.unit.label);
  frame.draw_x(metric.has_virtual_time ? "virtual time" : "seconds since the measurement began");
  // The first curves are drawn last, so that they are above the grey ones.
  for (std::size_t i = std::min(metric.series.size(), max_curves); i-- > 0;)
    draw_curve(picture, frame, metric.series[i], pen_of(i));
  if (has_key) draw_key(picture, frame, metric);
}

}  // namespace eventspace
