#include "monitors/charts/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "monitors/drawing/dot_text.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

// A backslash before a quote would end the attribute in which the text is.
std::string without_backslashes(std::string text) {
  for (char& c : text) {
    if (c == '\\') c = '/';
  }
  return text;
}

std::string quoted_text(const std::string& text) {
  std::string made;
  for (const char c : text) made += c == '"' ? std::string("\\\"") : std::string(1, c);
  return made;
}

// Graphviz reads no string of more than 16 KiB, but puts strings together. The cuts are at blanks, so that
// none is within an escape.
std::string in_pieces(const std::string& text) {
  constexpr std::size_t longest = 8000;
  std::string made;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(at + longest, text.size());
    const std::size_t blank = text.rfind(' ', end);
    if (end < text.size() && blank != std::string::npos && blank > at) end = blank + 1;
    made += fmt::format("{}\"{}\"", at == 0 ? "" : "\n    + ", text.substr(at, end - at));
    at = end;
  }
  return text.empty() ? "\"\"" : made;
}

}  // namespace

Picture::Picture(double width, double height) : width_(width), height_(height) {}

void Picture::points(std::string_view kind, const std::vector<Point>& points) {
  drawn_ += fmt::format("{} {} ", kind, points.size());
  for (const Point& point : points) drawn_ += fmt::format("{:.2f} {:.2f} ", point.x, height_ - point.y);
}

std::string Picture::svg_points(const std::vector<Point>& points) {
  std::string text;
  for (const Point& point : points)
    text += fmt::format("{}{:.2f},{:.2f}", text.empty() ? "" : " ", point.x, point.y);
  return text;
}

void Picture::colour(std::string_view kind, std::string_view colour) {
  drawn_ += fmt::format("{} {} -{} ", kind, colour.size(), colour);
}

void Picture::line(const std::vector<Point>& points, const Pen& pen) {
  const std::string style = pen.is_dashed ? "dashed" : "solid";
  const std::string width = fmt::format("setlinewidth({:.2f})", pen.width);
  colour("c", pen.colour);
  colour("S", style);
  colour("S", width);
  this->points("L", points);
  svg_ += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:.2f}\"{}/>\n",
                      svg_points(points), pen.colour, pen.width,
                      pen.is_dashed ? " stroke-dasharray=\"6 4\"" : "");
}

void Picture::area(const std::vector<Point>& points, std::string_view fill, std::string_view edge) {
  colour("S", "solid");
  colour("S", "setlinewidth(0.80)");
  colour("c", edge);
  colour("C", fill);
  this->points("P", points);
  svg_ += fmt::format("<polygon points=\"{}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"0.80\"/>\n",
                      svg_points(points), fill, edge);
}

void Picture::circle(Point centre, double radius, std::string_view fill, const std::string& explained) {
  colour("S", "solid");
  colour("c", fill);
  colour("C", fill);
  drawn_ += fmt::format("E {:.2f} {:.2f} {:.2f} {:.2f} ", centre.x, height_ - centre.y, radius, radius);
  const std::string title =
      explained.empty() ? "" : fmt::format("<title>{}</title>", markup_of(explained, Newlines::escaped));
  svg_ += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\" fill=\"{}\">{}</circle>\n", centre.x,
                      centre.y, radius, fill, title);
}

void Picture::words(Point at, Anchor anchor, const std::string& text, double size, std::string_view colour) {
  const std::string safe = without_backslashes(escaped(text));
  if (safe.empty()) return;
  this->colour("c", colour);
  drawn_ += fmt::format("F {:.1f} 9 -Helvetica ", size);
  const int anchor_number = static_cast<int>(anchor);  // -1, 0 or 1
  // The width is a hint, which no renderer needs.
  drawn_ += fmt::format("T {:.2f} {:.2f} {} {:.1f} {} -{} ", at.x, height_ - at.y, anchor_number,
                        size * 0.6 * static_cast<double>(safe.size()), safe.size(), quoted_text(safe));
  static constexpr std::array anchors{"start", "middle", "end"};
  svg_ += fmt::format(
      "<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\" font-size=\"{:.1f}\" fill=\"{}\">{}</text>\n", at.x,
      at.y, *std::next(anchors.begin(), anchor_number + 1), size, colour, markup_of(text, Newlines::escaped));
}

// Two nodes that cannot be seen make the graph as large as the picture.
std::string Picture::dot() const {
  return fmt::format(
      "digraph picture {{\n  layout=nop2; pad=0; bgcolor=\"#ffffff\"; bb=\"0,0,{0:.0f},{1:.0f}\";\n"
      "  node [shape=point, style=invis, width=0.01, height=0.01, label=\"\"];\n"
      "  first [pos=\"0,0\"]; last [pos=\"{0:.0f},{1:.0f}\"];\n  _background={2};\n}}\n",
      width_, height_, in_pieces(drawn_));
}

std::string Picture::svg() const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\" font-family=\"Helvetica,Arial,sans-serif\">\n<rect width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "fill=\"#ffffff\"/>\n{2}</svg>\n",
      width_, height_, svg_);
}

}  // namespace eventspace
