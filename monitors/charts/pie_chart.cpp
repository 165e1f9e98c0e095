#include "monitors/charts/pie_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "monitors/text/unit_text.h"

namespace eventspace {
namespace {

using Anchor = Picture::Anchor;

std::vector<Slice> with_colours(std::vector<Slice> slices) {
  std::erase_if(slices, [](const Slice& slice) { return !(slice.value > 0); });
  std::ranges::stable_sort(slices, std::ranges::greater(), &Slice::value);
  const std::size_t most = chart_colours.size();
  if (slices.size() <= most) return slices;
  Slice others{fmt::format("{} others", slices.size() - most + 1)};
  for (std::size_t i = most - 1; i < slices.size(); ++i) others.value += slices[i].value;
  slices.resize(most - 1);
  slices.push_back(others);
  return slices;
}

// The sector of the circle between two shares, from the top, clockwise.
std::vector<Picture::Point> sector(Picture::Point centre, double radius, double from, double to) {
  std::vector<Picture::Point> points{centre};
  const auto steps = static_cast<int>(std::ceil((to - from) * 120)) + 1;
  for (int i = 0; i <= steps; ++i) {
    const double angle = 2 * std::numbers::pi * (from + (to - from) * i / steps);
    points.push_back({centre.x + radius * std::sin(angle), centre.y - radius * std::cos(angle)});
  }
  return points;
}

}  // namespace

void draw_pie(Picture& picture, double top, const std::string& title, std::vector<Slice> slices,
              const std::string& unit) {
  constexpr double radius = 145;
  draw_heading(picture, top, title);
  slices = with_colours(std::move(slices));
  double sum = 0.0;
  for (const Slice& slice : slices) sum += slice.value;
  if (slices.empty()) return draw_nothing(picture, top, "no value above 0");
  const Picture::Point centre{260, top + 215};
  double before = 0.0;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const double share = slices[i].value / sum;
    picture.area(sector(centre, radius, before, before + share), chart_colours[i], "#ffffff");
    before += share;
    const double y = top + 100 + 30 * static_cast<double>(i);
    picture.box({450, y - 12}, {464, y + 2}, chart_colours[i], "#ffffff");
    picture.words({474, y}, Anchor::start,
                  fmt::format("{}  {}  ({:.1f} %)", shortened(slices[i].name, 24),
                              with_unit(slices[i].value, unit), 100 * share));
  }
}

}  // namespace eventspace
