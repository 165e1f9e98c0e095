#include "monitors/charts/chart.h"

#include <fmt/format.h>

#include "monitors/text/counted.h"

namespace eventspace {
namespace {

// Above the axes: title and the name of the vertical axis; below: numbers and the name of the horizontal
// axis.
constexpr double above_axes = 60;
constexpr double below_axes = Chart::height_around - above_axes;
constexpr std::string_view grid_colour = "#dddddd";

using Anchor = Picture::Anchor;

}  // namespace

Chart::Chart(Picture& picture, const std::string& title, const Axis& x, const Axis& y, const ChartRoom& room)
    : picture_(picture),
      x_(x.range),
      y_(y.range),
      left_(room.left),
      right_(room.width - room.right),
      top_(room.top + above_axes),
      bottom_(room.top + room.height - below_axes) {
  draw_heading(picture, room.top, title, room.width);
  draw_y(y);
  draw_x(x);
}

Chart::Axis Chart::bars(std::size_t count) { return {"", RoundAxis::of_count(count), false}; }

// The name begins at the edge of the picture if it does not fit above the numbers.
void Chart::draw_y(const Axis& axis) {
  constexpr std::size_t longest = 8;
  if (axis.has_numbers) {
    for (const double value : y_.steps()) {
      picture_.line({{left_, y(value)}, {right_, y(value)}}, {grid_colour});
      picture_.words({left_ - 8, y(value) + 4}, Anchor::end, y_.label(value));
    }
  }
  if (axis.name.size() <= longest)
    picture_.words({left_ - 8, top_ - 14}, Anchor::end, axis.name);
  else
    picture_.words({10, top_ - 14}, Anchor::start, axis.name);
}

void Chart::draw_x(const Axis& axis) {
  if (axis.has_numbers) {
    for (const double value : x_.steps()) {
      picture_.line({{x(value), top_}, {x(value), bottom_}}, {grid_colour});
      name(value, x_.label(value));
    }
  }
  picture_.words({(left_ + right_) / 2, bottom_ + 38}, Anchor::middle, axis.name);
}

void Chart::bar(Point one, Point other, std::string_view fill, std::string_view edge) {
  picture_.box(place(one), place(other), fill, edge);
}

void Chart::curve(const std::vector<Point>& points, const Picture::Pen& pen) {
  std::vector<Point> placed;
  placed.reserve(points.size());
  for (const Point& point : points) placed.push_back(place(point));
  if (placed.size() == 1) picture_.circle(placed[0], 3, pen.colour);
  if (placed.size() > 1) picture_.line(placed, pen);
}

void Chart::dot(Point at, double radius, std::string_view fill, const std::string& explained) {
  picture_.circle(place(at), radius, fill, explained);
}

void Chart::words(Point at, Point shift, Anchor anchor, const std::string& text, double size,
                  std::string_view colour) {
  const Point placed = place(at);
  picture_.words({placed.x + shift.x, placed.y + shift.y}, anchor, text, size, colour);
}

void Chart::name(double x, const std::string& text, int row, double size, std::string_view colour) {
  picture_.words({this->x(x), bottom_ + 18 * (row + 1)}, Anchor::middle, text, size, colour);
}

void Chart::key(const std::vector<KeyEntry>& entries, const std::string& heading) {
  constexpr double line = 20;
  const double left = right_ + 20;
  double y = top_;
  if (!heading.empty()) picture_.words({left, y}, Anchor::start, heading, 12);
  for (const KeyEntry& entry : entries) {
    y += line;
    picture_.box({left, y}, {left + 12, y - 12}, entry.colour, edge_colour);
    picture_.words({left + 18, y - 1}, Anchor::start, entry.meaning, 12);
  }
}

Picture stacked_charts(std::size_t count, std::size_t left_out, std::string_view noun) {
  constexpr double foot = 30;
  Picture picture(chart_width, chart_height * static_cast<double>(count) + (left_out > 0 ? foot : 0));
  if (left_out > 0)
    picture.words({chart_width / 2, picture.height() - foot / 2}, Anchor::middle,
                  fmt::format("and {}", counted(left_out, noun)));
  return picture;
}

void draw_heading(Picture& picture, double top, const std::string& text, double width) {
  picture.words({width / 2, top + 26}, Anchor::middle, shortened(text, 100), 16);
}

void draw_nothing(Picture& picture, double top, const std::string& why) {
  picture.words({chart_width / 2, top + chart_height / 2}, Anchor::middle, why, 13, "#888888");
}

// Does not cut within a character of several bytes.
std::string shortened(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return text.substr(0, end) + "...";
}

}  // namespace eventspace
