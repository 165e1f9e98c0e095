#pragma once

// Private to monitors/metrics/plots/.

#include <array>
#include <string>
#include <string_view>

#include "monitors/drawing/picture.h"
#include "monitors/drawing/round_axis.h"
#include "monitors/metrics/plots/plot_data.h"

namespace eventspace {

/// Colours for curves and slices that also most colour-blind people can distinguish (Okabe and Ito).
inline constexpr std::array<std::string_view, 8> chart_colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                               "#e69f00", "#56b4e9", "#8c564b", "#444444"};
inline constexpr std::string_view bar_colour = "#4a90c8";

/// The part of a picture in which a chart has its axes: draws the grid, the numbers and the names of the
/// axes.
class ChartFrame {
 public:
  /// `room_at_right`: for a key.
  ChartFrame(Picture& picture, double top, const RoundAxis& x, const RoundAxis& y, double room_at_right = 30);

  [[nodiscard]] double x(double value) const { return left + x_.share(value) * (right_ - left); }
  [[nodiscard]] double y(double value) const { return bottom_ - y_.share(value) * (bottom_ - top_); }
  [[nodiscard]] double right() const noexcept { return right_; }
  [[nodiscard]] double bottom() const noexcept { return bottom_; }
  [[nodiscard]] double top() const noexcept { return top_; }

  /// Draw lines and numbers at the steps of the vertical and the horizontal axis.
  void draw_y(const std::string& name) const;
  void draw_x(const std::string& name) const;

  static constexpr double left = 90;

 private:
  Picture& picture_;
  RoundAxis x_;
  RoundAxis y_;
  double top_;
  double bottom_;
  double right_;
};

/// The heading of a chart.
void draw_heading(Picture& picture, double top, const std::string& text);
/// A colour and its meaning, in a key; the square has its lower left corner at (x, y).
void draw_key_entry(Picture& picture, double x, double y, std::string_view colour,
                    const std::string& meaning);
/// The heading of a chart, with the number of missing events.
void draw_title(Picture& picture, double top, const PlotData::Metric& metric, const std::string& more = {});
/// "objects a b"; for a metric without objects its name.
std::string name_of(const PlotData::Metric& metric, const PlotData::Series& series);
/// Cuts a text to `most` bytes; "..." replaces the rest.
std::string shortened(const std::string& text, std::size_t most);
/// Writes into the middle of a chart why there is nothing to draw.
void draw_nothing(Picture& picture, double top, const std::string& why);

}  // namespace eventspace
