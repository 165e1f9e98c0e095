#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "monitors/charts/picture.h"
#include "monitors/charts/round_axis.h"

namespace eventspace {

/// Colours for curves and slices that also most colour-blind people can distinguish (Okabe and Ito).
inline constexpr std::array<std::string_view, 8> chart_colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                               "#e69f00", "#56b4e9", "#8c564b", "#444444"};
inline constexpr std::string_view bar_colour = "#4a90c8";
inline constexpr std::string_view edge_colour = "#333333";

inline constexpr double chart_width = 820;
inline constexpr double chart_height = 400;

/// The part of a picture in which a chart is drawn, and the space around its axes there.
struct ChartRoom {
  double top{0};
  double left{90};   ///< for numbers of the vertical axis
  double right{30};  ///< for a key
  double width{chart_width};
  double height{chart_height};
};

/// A chart with two axes, drawn into a part of a picture. The constructor draws the title and the axes; each
/// mark is drawn above the earlier ones. Positions of marks are in the units of the axes. Used by one thread.
///
///     Chart chart(picture, "load", {"", {0, 2}, false}, {"%", {0, 100}});
///     chart.bar({0.1, 0}, {0.9, 80}, bar_colour);
///     chart.name(0.5, "n1");
class Chart {
 public:
  struct Axis {
    std::string name;
    RoundAxis range;
    bool has_numbers{true};  ///< draws the grid and its numbers; otherwise the range is used as it is
  };
  struct KeyEntry {
    std::string_view colour;
    std::string meaning;
  };
  using Point = Picture::Point;

  /// The height of the room above and below the axes.
  static constexpr double height_around = 110;
  /// The axis of `count` bars, bar i between i and i + 1; their names replace its numbers.
  static Axis bars(std::size_t count);

  /// `picture` must outlive this object.
  Chart(Picture& picture, const std::string& title, const Axis& x, const Axis& y, const ChartRoom& room = {});

  /// Draws a rectangle between two opposite corners.
  void bar(Point one, Point other, std::string_view fill, std::string_view edge = edge_colour);
  /// Draws a line through the points; a single point is drawn as a dot.
  void curve(const std::vector<Point>& points, const Picture::Pen& pen);
  /// `explained`: see Picture::circle.
  void dot(Point at, double radius, std::string_view fill, const std::string& explained = {});
  /// Draws words at `at`, moved by `shift`, which is in points of the picture.
  void words(Point at, Point shift, Picture::Anchor anchor, const std::string& text, double size = 13,
             std::string_view colour = "#000000");
  /// Draws a name below the horizontal axis at `x`; `row` counts downwards from 0.
  void name(double x, const std::string& text, int row = 0, double size = 13,
            std::string_view colour = "#000000");
  /// Explains colours, from top to bottom, at the right of the axes.
  void key(const std::vector<KeyEntry>& entries, const std::string& heading = {});

 private:
  [[nodiscard]] double x(double value) const { return left_ + x_.share(value) * (right_ - left_); }
  [[nodiscard]] double y(double value) const { return bottom_ - y_.share(value) * (bottom_ - top_); }
  [[nodiscard]] Point place(Point at) const { return {x(at.x), y(at.y)}; }
  void draw_x(const Axis& axis);
  void draw_y(const Axis& axis);

  Picture& picture_;
  RoundAxis x_;
  RoundAxis y_;
  double left_;
  double right_;
  double top_;
  double bottom_;
};

/// Makes a picture for `count` charts below each other, with a last line that counts `left_out` others, named
/// by the singular `noun`.
Picture stacked_charts(std::size_t count, std::size_t left_out, std::string_view noun);
/// Draws the heading of a chart whose part of the picture begins at `top`.
void draw_heading(Picture& picture, double top, const std::string& text, double width = chart_width);
/// Writes into the middle of a chart why there is nothing to draw.
void draw_nothing(Picture& picture, double top, const std::string& why);
/// Cuts a text to `most` bytes; "..." replaces the rest.
std::string shortened(const std::string& text, std::size_t most);

}  // namespace eventspace
