#include "monitors/metrics/plots/plot_data.h"

#include <set>
#include <utility>

namespace eventspace {

void PlotData::take(const MetricReading& reading) {
  const auto [places, is_new] = places_.try_emplace(reading.metric, Places{metrics_.size()});
  if (is_new) metrics_.push_back({reading.metric, reading.unit});
  Metric& metric = metrics_[places->second.metric];
  metric.lost = reading.lost;
  if (!metric.has_virtual_time) {
    std::set<std::vector<std::string>> named;
    for (const auto& value : reading.values) named.insert(value.objects);
    for (const auto& [objects, place] : places->second.series)
      metric.series[place].is_in_gap |= !named.contains(objects);
  }
  for (const auto& value : reading.values) take(value, reading, places->second);
}

void PlotData::take(const metrics::MetricValue& value, const MetricReading& reading, Places& places) {
  Metric& metric = metrics_[places.metric];
  const auto number = number_of(value.datum, reading.unit);
  const bool is_missing = is_gap(value.datum, reading.unit);
  auto& known = places.series;
  const auto found = known.find(value.objects);
  if (is_missing && found != known.end()) metric.series[found->second].is_in_gap = true;
  if (is_missing || !number) return;
  if (found == known.end() && known.size() >= max_series) {
    ++metric.left_out;
    return;
  }
  const std::size_t place = found == known.end() ? known.size() : found->second;
  if (found == known.end()) {
    known.emplace(value.objects, place);
    metric.series.push_back({value.objects});
  }
  metric.has_virtual_time = metric.has_virtual_time || value.virtual_time.has_value();
  const double x = value.virtual_time ? static_cast<double>(*value.virtual_time)
                                      : static_cast<double>(reading.time.count()) / 1e9;
  keep(metric.series[place], {x, *number});
}

// A dropped point passes its gap on to the next one.
void PlotData::keep(Series& series, Point point) {
  series.newest = point.y;
  if (series.taken++ % series.stride != 0) return;
  point.is_behind_gap = std::exchange(series.is_in_gap, false);
  series.points.push_back(point);
  if (series.points.size() < max_points) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < series.points.size(); i += 2) {
    const bool is_behind_gap = i > 0 && series.points[i - 1].is_behind_gap;
    series.points[kept] = series.points[i];
    series.points[kept++].is_behind_gap |= is_behind_gap;
  }
  series.is_in_gap = series.points.size() % 2 == 0 && series.points.back().is_behind_gap;
  series.points.resize(kept);
  series.stride *= 2;
}

}  // namespace eventspace
