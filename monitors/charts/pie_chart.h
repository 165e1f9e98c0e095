#pragma once

#include <string>
#include <vector>

#include "monitors/charts/chart.h"

namespace eventspace {

struct Slice {
  std::string name;
  double value{0.0};
};

/// Draws the shares of the slices in their sum, the greatest first, with their values in `unit`. Slices for
/// which no colour is left share one. Values of 0 and less have no share. Pure.
void draw_pie(Picture& picture, double top, const std::string& title, std::vector<Slice> slices,
              const std::string& unit);

}  // namespace eventspace
