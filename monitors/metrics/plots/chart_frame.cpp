#include "monitors/metrics/plots/chart_frame.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "monitors/metrics/plots/charts.h"
#include "monitors/text/counted.h"

namespace eventspace {
namespace {

constexpr double above = 60;  // of the axes: title and the name of the vertical axis
constexpr double below = 50;  // numbers and the name of the horizontal axis
constexpr std::string_view grid = "#dddddd";

using Anchor = Picture::Anchor;

}  // namespace

ChartFrame::ChartFrame(Picture& picture, double top, const RoundAxis& x, const RoundAxis& y,
                       double room_at_right)
    : picture_(picture),
      x_(x),
      y_(y),
      top_(top + above),
      bottom_(top + chart_height - below),
      right_(chart_width - room_at_right) {}

void ChartFrame::draw_y(const std::string& name) const {
  for (const double value : y_.steps()) {
    picture_.line({{left, y(value)}, {right_, y(value)}}, {grid});
    picture_.words({left - 8, y(value) + 4}, Anchor::end, y_.label(value));
  }
  if (!name.empty()) picture_.words({left - 8, top_ - 14}, Anchor::end, name);
}

void ChartFrame::draw_x(const std::string& name) const {
  for (const double value : x_.steps()) {
    picture_.line({{x(value), top_}, {x(value), bottom_}}, {grid});
    picture_.words({x(value), bottom_ + 18}, Anchor::middle, x_.label(value));
  }
  picture_.words({(left + right_) / 2, bottom_ + 38}, Anchor::middle, name);
}

void draw_heading(Picture& picture, double top, const std::string& text) {
  picture.words({chart_width / 2, top + 26}, Anchor::middle, shortened(text, 100), 16);
}

void draw_key_entry(Picture& picture, double x, double y, std::string_view colour,
                    const std::string& meaning) {
  picture.box({x, y}, {x + 12, y - 12}, colour, "#333333");
  picture.words({x + 18, y - 1}, Anchor::start, meaning, 12);
}

void draw_title(Picture& picture, double top, const PlotData::Metric& metric, const std::string& more) {
  std::string title = metric.name;
  if (!more.empty()) title += ": " + more;
  if (metric.lost > 0) title += fmt::format(" (incomplete: {} lost)", counted(metric.lost, "record"));
  if (metric.left_out > 0) title += fmt::format(" (without {})", counted(metric.left_out, "value"));
  draw_heading(picture, top, title);
}

std::string name_of(const PlotData::Metric& metric, const PlotData::Series& series) {
  return series.objects.empty() ? metric.name : fmt::format("{}", fmt::join(series.objects, " "));
}

// Does not cut within a character of several bytes.
std::string shortened(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return text.substr(0, end) + "...";
}

void draw_nothing(Picture& picture, double top, const std::string& why) {
  picture.words({chart_width / 2, top + chart_height / 2}, Anchor::middle, why, 13, "#888888");
}

}  // namespace eventspace
