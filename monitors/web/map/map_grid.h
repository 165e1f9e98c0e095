#pragma once

#include <vector>

#include "monitors/web/map/map_picture.h"

namespace eventspace::web {

/// A frame with the boxes and frames in it.
struct MapGroup {
  MapFrame frame;
  std::vector<MapBox> boxes{};
  std::vector<MapGroup> groups{};
};

/// Places the groups, and boxes without a frame, beside and below each other, and adds them to the picture in
/// this order: the boxes, then those of each group. Sets the size of the picture. Pure.
void place_in_grid(std::vector<MapBox> boxes, std::vector<MapGroup> groups, MapPicture& picture);

/// Leads straight arrows from border to border of their boxes. Pure.
void straighten_arrows(MapPicture& picture);

}  // namespace eventspace::web
