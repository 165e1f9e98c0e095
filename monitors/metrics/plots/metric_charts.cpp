#include "monitors/metrics/plots/metric_charts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "monitors/charts/chart.h"
#include "monitors/charts/matrix_chart.h"
#include "monitors/charts/pie_chart.h"
#include "monitors/text/counted.h"

namespace eventspace {
namespace {

using Plotted = PlotData::Metric;
using Series = PlotData::Series;

// The title of a chart, with the number of missing events.
std::string title_of(const Plotted& metric, const std::string& more = {}) {
  std::string title = metric.name;
  if (!more.empty()) title += ": " + more;
  if (metric.lost > 0) title += fmt::format(" (incomplete: {} lost)", counted(metric.lost, "record"));
  if (metric.left_out > 0) title += fmt::format(" (without {})", counted(metric.left_out, "value"));
  return title;
}

// "objects a b"; for a metric without objects its name.
std::string name_of(const Plotted& metric, const Series& series) {
  return series.objects.empty() ? metric.name : fmt::format("{}", fmt::join(series.objects, " "));
}

// --- curves ------------------------------------------------------------------------------------------------

template <class Of>
std::pair<double, double> range_of(const Plotted& metric, Of of) {
  const double first = of(metric.series[0].points[0]);
  std::pair range{first, first};
  for (const Series& series : metric.series) {
    for (const PlotData::Point& point : series.points) {
      range.first = std::min(range.first, of(point));
      range.second = std::max(range.second, of(point));
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

void draw_key(Chart& chart, const Plotted& metric) {
  std::vector<Chart::KeyEntry> entries;
  for (std::size_t i = 0; i < std::min(metric.series.size(), chart_colours.size()); ++i)
    entries.push_back({chart_colours[i], shortened(name_of(metric, metric.series[i]), 20)});
  if (metric.series.size() > chart_colours.size())
    entries.push_back({pen_of(chart_colours.size()).colour,
                       fmt::format("{} more", metric.series.size() - chart_colours.size())});
  chart.key(entries);
}

// The curve is interrupted where values are missing.
void draw_curve(Chart& chart, const Series& series, const Picture::Pen& pen) {
  std::vector<Chart::Point> points;
  for (const PlotData::Point& point : series.points) {
    if (point.is_behind_gap) {
      chart.curve(points, pen);
      points.clear();
    }
    points.push_back({point.x, point.y});
  }
  chart.curve(points, pen);
}

void draw_curves(Picture& picture, double top, const Plotted& metric) {
  constexpr std::size_t max_curves = 64;  // further objects are only counted
  constexpr double key_width = 170;
  const auto [begin, end] = range_of(metric, [](const PlotData::Point& point) { return point.x; });
  const auto [least, most] = range_of(metric, [](const PlotData::Point& point) { return point.y; });
  const bool has_key = metric.series.size() > 1;
  Chart chart(
      picture, title_of(metric, has_key ? std::string() : shortened(name_of(metric, metric.series[0]), 60)),
      {metric.has_virtual_time ? "virtual time" : "seconds since the measurement began", {begin, end}},
      {metric.unit.label, {std::min(0.0, least), std::max(0.0, most)}},
      {.top = top, .right = has_key ? key_width : 30});
  // The first curves are drawn last, so that they are above the grey ones.
  for (std::size_t i = std::min(metric.series.size(), max_curves); i-- > 0;)
    draw_curve(chart, metric.series[i], pen_of(i));
  if (has_key) draw_key(chart, metric);
}

// --- bars --------------------------------------------------------------------------------------------------

void draw_bars(Picture& picture, double top, const Plotted& metric) {
  constexpr std::size_t max_bars = 64;
  constexpr std::size_t max_names = 12;  // that fit under the bars; with more, every n-th is written
  const std::size_t count = std::min(metric.series.size(), max_bars);
  double least = 0.0;
  double most = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    least = std::min(least, metric.series[i].newest);
    most = std::max(most, metric.series[i].newest);
  }
  const bool is_cut = metric.series.size() > count;
  const std::string cut = is_cut ? fmt::format("the first {} of {}", count, metric.series.size()) : "";
  Chart chart(picture, title_of(metric, cut), Chart::bars(count), {metric.unit.label, {least, most}},
              {.top = top});
  const std::size_t every = (count + max_names - 1) / max_names;
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = static_cast<double>(i);
    chart.bar({at + 0.15, 0}, {at + 0.85, metric.series[i].newest}, bar_colour);
    if (i % every == 0)
      chart.name(at + 0.5, shortened(name_of(metric, metric.series[i]), count > 6 ? 9 : 18));
  }
}

void draw_histogram(Picture& picture, double top, const Plotted& metric) {
  std::vector<double> values;
  for (const Series& series : metric.series) {
    for (const PlotData::Point& point : series.points) values.push_back(point.y);
  }
  const auto [least, most] = std::ranges::minmax(values);
  // The number of ranges is the root of the number of values, the usual choice; their bounds are round
  // numbers.
  const RoundAxis x(least, most);
  const auto root = static_cast<std::size_t>(std::sqrt(static_cast<double>(values.size())));
  std::vector<std::size_t> counts(std::clamp<std::size_t>(root, 5, 40), 0);
  const auto ranges = static_cast<double>(counts.size());
  for (const double value : values) {
    const auto place = static_cast<std::size_t>(x.share(value) * ranges);
    ++counts[std::min(place, counts.size() - 1)];
  }
  Chart chart(picture, title_of(metric, fmt::format("frequencies of {} values", values.size())),
              {metric.unit.label, x}, {"values", {0, static_cast<double>(*std::ranges::max_element(counts))}},
              {.top = top});
  const double width = (x.most - x.least) / ranges;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double from = x.least + width * static_cast<double>(i);
    if (counts[i] > 0) chart.bar({from, 0}, {from + width, static_cast<double>(counts[i])}, bar_colour);
  }
}

// --- shares and pairs --------------------------------------------------------------------------------------

void draw_shares(Picture& picture, double top, const Plotted& metric) {
  std::vector<Slice> slices;
  for (const Series& series : metric.series) slices.push_back({name_of(metric, series), series.newest});
  draw_pie(picture, top, title_of(metric, "shares"), std::move(slices), metric.unit.label);
}

Matrix matrix_of(const Plotted& metric) {
  Matrix matrix{.unit = metric.unit.label};
  std::map<std::string, std::size_t> rows;
  std::map<std::string, std::size_t> columns;
  const auto place_of = [](auto& places, std::vector<std::string>& names, const std::string& name) {
    const auto [place, is_new] = places.try_emplace(name, names.size());
    if (is_new) names.push_back(name);
    return place->second;
  };
  for (const Series& series : metric.series) {
    if (series.objects.size() != 2) continue;
    matrix.cells.push_back({place_of(rows, matrix.rows, series.objects[0]),
                            place_of(columns, matrix.columns, series.objects[1]), series.newest,
                            fmt::format("{:.3g}", series.newest)});
  }
  return matrix;
}

void draw_pairs(Picture& picture, double top, const Plotted& metric) {
  const Matrix matrix = matrix_of(metric);
  const std::size_t longest = std::max(matrix.rows.size(), matrix.columns.size());
  std::string more = "rows to columns";
  if (!metric.unit.label.empty()) more += ", in " + metric.unit.label;
  if (longest > max_matrix_rows) more += fmt::format(", the first {} of {}", max_matrix_rows, longest);
  draw_matrix(picture, title_of(metric, more), matrix, {.top = top});
  if (matrix.rows.empty()) draw_nothing(picture, top, "no value of two objects");
}

using Draw = void (*)(Picture&, double, const Plotted&);

Draw drawing_of(ChartForm form) {
  switch (form) {
    case ChartForm::curves:
      return draw_curves;
    case ChartForm::bars:
      return draw_bars;
    case ChartForm::pie:
      return draw_shares;
    case ChartForm::histogram:
      return draw_histogram;
    case ChartForm::matrix:
      return draw_pairs;
  }
  return draw_curves;
}

}  // namespace

Picture draw_charts(const PlotData& data, ChartForm form) {
  const auto& all = data.metrics();
  const std::size_t shown = std::min(all.size(), max_charts);
  Picture picture = stacked_charts(std::max<std::size_t>(shown, 1), all.size() - shown, "metric");
  for (std::size_t i = 0; i < shown; ++i) {
    const double top = chart_height * static_cast<double>(i);
    if (all[i].series.empty()) {
      draw_heading(picture, top, title_of(all[i]));
      draw_nothing(picture, top, "no value");
    } else {
      drawing_of(form)(picture, top, all[i]);
    }
  }
  if (all.empty()) draw_nothing(picture, 0, "no value");
  return picture;
}

}  // namespace eventspace
