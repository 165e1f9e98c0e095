#pragma once

// Private to monitors/.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "monitors/drawing/picture.h"
#include "monitors/metrics/plots/plot_data.h"

namespace eventspace {

/// The forms of a plot of a metric.
enum class ChartForm : std::uint8_t {
  curves,     ///< the values over time, or virtual time, a curve for each object
  bars,       ///< the newest value of each object
  pie,        ///< the share of each object in the sum of the newest values
  histogram,  ///< how often values lie in equal ranges, over all objects and times
  matrix      ///< the newest values of pairs of objects: the first in rows, the second in columns
};

/// Draws the metrics below each other, each in a chart of its own; at most `most_charts`, and a line that
/// counts the others. Objects beyond what a chart can show are counted in it. Pure.
Picture draw_charts(const PlotData& data, ChartForm form);
inline constexpr std::size_t most_charts = 12;

/// Throws ConfigurationError, with what is possible, if a plot cannot be written to a file of this name,
/// which `option` was given.
void check_plot_file(const std::filesystem::path& file, std::string_view option = "--plot");

// The charts, drawn within a part of a picture that begins at `top`. Private to monitors/metrics/plots/.

inline constexpr double chart_width = 820;
inline constexpr double chart_height = 400;

void draw_curves(Picture& picture, double top, const PlotData::Metric& metric);
void draw_bars(Picture& picture, double top, const PlotData::Metric& metric);
void draw_pie(Picture& picture, double top, const PlotData::Metric& metric);
void draw_histogram(Picture& picture, double top, const PlotData::Metric& metric);
void draw_matrix(Picture& picture, double top, const PlotData::Metric& metric);

}  // namespace eventspace
