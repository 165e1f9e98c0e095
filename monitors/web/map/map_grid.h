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

/// Places boxes and groups beside and below each other. Adds `boxes`, then the boxes of each group, to the
/// picture, in this order, and sets the size of the picture. Pure.
void place_in_grid(std::vector<MapBox> boxes, std::vector<MapGroup> groups, MapPicture& picture);

/// Leads straight arrows from border to border of their boxes. Pure.
void straighten_arrows(MapPicture& picture);

}  // namespace eventspace::web
