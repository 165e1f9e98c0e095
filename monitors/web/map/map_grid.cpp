#include "monitors/web/map/map_grid.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace eventspace::web {
namespace {

constexpr double letter_width = 6.4;
constexpr double line_height = 14;
constexpr double margin = 10;  // around a text, and between boxes
constexpr double title_height = 20;
constexpr double widest_box = 260;
constexpr double aspect = 1.7;  // of the whole, like a screen's

GraphArea size_of(const MapBox& box) {
  std::size_t letters = box.title.size();
  for (const std::string& line : box.lines) letters = std::max(letters, line.size());
  // One more line: for live numbers.
  const double lines = static_cast<double>(box.lines.size() + (box.title.empty() ? 0 : 1) + 1);
  const double width = std::clamp(static_cast<double>(letters) * letter_width + 2 * margin, 96.0, widest_box);
  return {0, 0, width, lines * line_height + margin};
}

/// Sets the upper left corners of areas that stand in rows, and returns the size of all.
GraphArea flow(std::vector<GraphArea*>& areas, double width) {
  GraphArea all;
  double x = 0;
  double y = 0;
  double row_height = 0;
  for (GraphArea* const area : areas) {
    if (x > 0 && x + area->width > width) {
      x = 0;
      y += row_height + margin;
      row_height = 0;
    }
    area->x = x;
    area->y = y;
    x += area->width + margin;
    row_height = std::max(row_height, area->height);
    all.width = std::max(all.width, x - margin);
    all.height = y + row_height;
  }
  return all;
}

GraphArea flow_as_screen(std::vector<GraphArea*> areas) {
  double surface = 0;
  double widest = 0;
  for (const GraphArea* const area : areas) {
    surface += (area->width + margin) * (area->height + margin);
    widest = std::max(widest, area->width);
  }
  return flow(areas, std::max(widest, std::sqrt(surface * aspect)));
}

// Places boxes and groups relative to the corner of the group around them. Returns the size of that group.
GraphArea arrange(std::vector<MapBox>& boxes, std::vector<MapGroup>& groups) {
  std::vector<GraphArea*> areas;
  double width = 0;
  for (MapBox& box : boxes) {
    box.area = size_of(box);
    width = std::max(width, box.area.width);
    areas.push_back(&box.area);
  }
  for (MapBox& box : boxes) box.area.width = width;  // columns
  for (MapGroup& group : groups) {
    const GraphArea inside = arrange(group.boxes, group.groups);
    const double title = static_cast<double>(group.frame.title.size()) * letter_width;
    group.frame.area = {0, 0, std::max(inside.width, std::min(title, widest_box)) + 2 * margin,
                        inside.height + title_height + 2 * margin};
    areas.push_back(&group.frame.area);
  }
  return flow_as_screen(std::move(areas));
}

void add(std::vector<MapBox>& boxes, std::vector<MapGroup>& groups, double x, double y, MapPicture& picture) {
  for (MapBox& box : boxes) {
    box.area.x += x;
    box.area.y += y;
    picture.boxes.push_back(std::move(box));
  }
  for (MapGroup& group : groups) {
    group.frame.area.x += x;
    group.frame.area.y += y;
    const GraphArea area = group.frame.area;
    picture.frames.push_back(std::move(group.frame));
    add(group.boxes, group.groups, area.x + margin, area.y + title_height + margin, picture);
  }
}

GraphPoint middle_of(const GraphArea& area) { return {area.x + area.width / 2, area.y + area.height / 2}; }

// Where the line from the middle of the area to `to` crosses its border.
GraphPoint border_of(const GraphArea& area, const GraphPoint& to) {
  const GraphPoint middle = middle_of(area);
  const double dx = to.x - middle.x;
  const double dy = to.y - middle.y;
  const double share = std::max(std::abs(dx) / (area.width / 2), std::abs(dy) / (area.height / 2));
  if (share == 0) return middle;
  return {middle.x + dx / share, middle.y + dy / share};
}

}  // namespace

void place_in_grid(std::vector<MapBox> boxes, std::vector<MapGroup> groups, MapPicture& picture) {
  const GraphArea all = arrange(boxes, groups);
  add(boxes, groups, 0, 0, picture);
  picture.width = all.width;
  picture.height = all.height;
}

void straighten_arrows(MapPicture& picture) {
  for (MapArrow& arrow : picture.arrows) {
    const GraphArea& from = picture.boxes[arrow.from].area;
    const GraphArea& to = picture.boxes[arrow.to].area;
    const GraphPoint start = border_of(from, middle_of(to));
    const GraphPoint end = border_of(to, middle_of(from));
    const auto between = [&](double share) {
      return GraphPoint{start.x + (end.x - start.x) * share, start.y + (end.y - start.y) * share};
    };
    arrow.curve = {start, between(1.0 / 3), between(2.0 / 3), end};
    arrow.label_at = between(0.5);
  }
}

}  // namespace eventspace::web
