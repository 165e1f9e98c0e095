#include "monitors/metrics/plots/plot_data.h"

#include <cmath>

namespace eventspace {

void PlotData::take(const MetricReading& reading) {
  const auto [places, is_new] = places_.try_emplace(reading.metric, Places{metrics_.size()});
  if (is_new) metrics_.push_back({reading.metric, reading.unit});
  Metric& metric = metrics_[places->second.metric];
  metric.lost = reading.lost;
  for (const auto& value : reading.values) {
    const ShownValue number = shown(value, reading.unit);
    if (!number.number || !std::isfinite(*number.number)) continue;
    auto& known = places->second.series;
    const bool is_known = known.contains(value.objects);
    if (!is_known && known.size() >= most_series) {
      ++metric.left_out;
      continue;
    }
    const std::size_t place = known.try_emplace(value.objects, known.size()).first->second;
    if (!is_known) metric.series.push_back({value.objects});
    metric.has_virtual_time = metric.has_virtual_time || value.virtual_time.has_value();
    const double x = value.virtual_time ? static_cast<double>(*value.virtual_time)
                                        : static_cast<double>(reading.time.count()) / 1e9;
    keep(metric.series[place], {x, *number.number});
  }
}

void PlotData::keep(Series& series, Point point) {
  series.newest = point.y;
  if (series.taken++ % series.stride != 0) return;
  series.points.push_back(point);
  if (series.points.size() < most_points) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < series.points.size(); i += 2) series.points[kept++] = series.points[i];
  series.points.resize(kept);
  series.stride *= 2;
}

}  // namespace eventspace
