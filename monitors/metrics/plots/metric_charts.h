#pragma once

#include <cstddef>
#include <cstdint>

#include "monitors/charts/picture.h"
#include "monitors/metrics/plots/plot_data.h"

namespace eventspace {

/// The forms of a plot of a metric.
enum class ChartForm : std::uint8_t {
  curves,     ///< the values over time, or virtual time, a curve for each object
  bars,       ///< the newest value of each object
  pie,        ///< the share of each object in the sum of the newest values
  histogram,  ///< the distribution of the values over equal ranges, for all objects and times
  matrix      ///< the newest values of pairs of objects: the first in rows, the second in columns
};

/// Draws the metrics below each other, each in its own chart; up to `max_charts`, and a line with the number
/// of the others. Each chart counts the objects that it cannot show. Pure.
Picture draw_charts(const PlotData& data, ChartForm form);
inline constexpr std::size_t max_charts = 12;

}  // namespace eventspace
