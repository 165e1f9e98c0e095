#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace eventspace {

/// A picture of lines, areas and words. svg() is complete; dot() is a graph with a fixed layout, which
/// Graphviz only paints, in other formats. Lengths are points of 1/72 inch, places are counted from the left
/// and the top. Colours are as in "#3366cc". Pure. Not thread-safe.
class Picture {
 public:
  struct Point {
    double x{0.0};
    double y{0.0};
  };
  enum class Anchor : std::int8_t { start = -1, middle = 0, end = 1 };
  struct Pen {
    std::string_view colour{"#000000"};
    double width{1.0};
    bool is_dashed{false};
  };

  Picture(double width, double height);

  void line(const std::vector<Point>& points, const Pen& pen);
  /// A filled polygon with an edge.
  void area(const std::vector<Point>& points, std::string_view fill, std::string_view edge);
  /// A filled rectangle between two opposite corners, with an edge.
  void box(Point one, Point other, std::string_view fill, std::string_view edge) {
    area({one, {other.x, one.y}, other, {one.x, other.y}}, fill, edge);
  }
  /// `explained`: the text that a viewer of an SVG file shows under the pointer; empty: none.
  void circle(Point centre, double radius, std::string_view fill, const std::string& explained = {});
  /// Words whose start, middle or end is at `x`, and whose foot is at `y`. A character that moves the cursor
  /// is shown as an escape, and a backslash as a slash.
  void words(Point at, Anchor anchor, const std::string& text, double size = 13.0,
             std::string_view colour = "#000000");

  [[nodiscard]] double width() const noexcept { return width_; }
  [[nodiscard]] double height() const noexcept { return height_; }
  /// The picture in Graphviz' language, for render_graph().
  [[nodiscard]] std::string dot() const;
  [[nodiscard]] std::string svg() const;

 private:
  static std::string svg_points(const std::vector<Point>& points);
  void points(std::string_view kind, const std::vector<Point>& points);
  void colour(std::string_view kind, std::string_view colour);

  double width_;
  double height_;
  std::string drawn_;  // in the language xdot
  std::string svg_;    // the same, as elements of SVG
};

}  // namespace eventspace
