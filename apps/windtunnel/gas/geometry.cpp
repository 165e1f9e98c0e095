#include "apps/windtunnel/gas/geometry.h"

#include <cstdlib>

namespace eventspace::windtunnel {
namespace {

// The distance from the centre of the obstacle, in columns, each sqrt(3)/2 wide, and in half rows.
struct Offset {
  std::int64_t columns;
  std::int64_t half_rows;
};

// The obstacle is a quarter of the way down the tunnel, and a little off its axis, so that the wake starts to
// swing.
Offset offset_from_obstacle(const TunnelConfig& config, std::size_t row, std::size_t column) {
  const auto n = static_cast<std::int64_t>(config.n);
  const auto half_row = static_cast<std::int64_t>(2 * row + column % 2);
  return {static_cast<std::int64_t>(column) - n / 2, half_row - n - n / 64};
}

std::int64_t diameter(const TunnelConfig& config) { return static_cast<std::int64_t>(config.n) / 5; }

bool in_cylinder(const TunnelConfig& config, Offset offset) {
  const auto squared = 3 * offset.columns * offset.columns + offset.half_rows * offset.half_rows;
  return squared <= diameter(config) * diameter(config);
}

bool in_plate(const TunnelConfig& config, Offset offset) {
  const auto thickness = 2 + static_cast<std::int64_t>(config.n) / 64;
  return std::abs(offset.half_rows) <= diameter(config) && std::abs(offset.columns) * 2 <= thickness;
}

}  // namespace

bool is_solid(const TunnelConfig& config, std::size_t row, std::size_t column) {
  if (row == 0 || row + 1 == config.rows()) return true;
  const auto offset = offset_from_obstacle(config, row, column);
  switch (config.obstacle) {
    case Obstacle::plate:
      return in_plate(config, offset);
    case Obstacle::cylinder:
      return in_cylinder(config, offset);
    case Obstacle::none:
      break;
  }
  return false;
}

void draw_solid(const TunnelConfig& config, std::size_t row, std::span<std::uint64_t> words) {
  for (std::size_t column = 0; column < config.columns(); ++column)
    if (is_solid(config, row, column)) words[column / 64] |= std::uint64_t{1} << (column % 64);
}

}  // namespace eventspace::windtunnel
