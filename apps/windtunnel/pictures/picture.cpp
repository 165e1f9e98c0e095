#include "apps/windtunnel/pictures/picture.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include "apps/windtunnel/gas/geometry.h"
#include "apps/windtunnel/pictures/colours.h"

namespace eventspace::windtunnel {
namespace {

// One number for each cell.
class Grid {
 public:
  Grid(std::size_t rows, std::size_t columns) : rows_(rows), columns_(columns), values_(rows * columns) {}

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  double& at(std::size_t row, std::size_t column) { return values_[row * columns_ + column]; }
  double at(std::size_t row, std::size_t column) const { return values_[row * columns_ + column]; }

  // Interpolates between the four nearest cells; row and column are in cells from the corner of the tunnel.
  double interpolated(double row, double column) const {
    const Place y = place(row, rows_);
    const Place x = place(column, columns_);
    const double above = std::lerp(at(y.low, x.low), at(y.low, x.high), x.share);
    const double below = std::lerp(at(y.high, x.low), at(y.high, x.high), x.share);
    return std::lerp(above, below, y.share);
  }

 private:
  struct Place {
    std::size_t low;
    std::size_t high;
    double share;
  };

  static Place place(double position, std::size_t count) {
    const double last = static_cast<double>(count - 1);
    const double centred = std::clamp(position - 0.5, 0.0, last);
    const auto low = static_cast<std::size_t>(centred);
    return {low, std::min(low + 1, count - 1), centred - static_cast<double>(low)};
  }

  std::size_t rows_;
  std::size_t columns_;
  std::vector<double> values_;
};

template <typename Value>
Grid grid_of(const Field& field, const Value& value) {
  Grid grid(field.rows().size(), field.columns());
  for (std::size_t row = 0; row < grid.rows(); ++row)
    for (std::size_t column = 0; column < grid.columns(); ++column)
      grid.at(row, column) = value(field.at(row, column));
  return grid;
}

double ratio(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

double velocity_x(const Cell& cell) { return kUnitX * ratio(cell.momentum_x, cell.mass); }
double velocity_y(const Cell& cell) { return kUnitY * ratio(cell.momentum_y, cell.mass); }
double speed(const Cell& cell) { return std::hypot(velocity_x(cell), velocity_y(cell)); }

// Cells next to the obstacle and inside of it take the value of their neighbours, so that its edge does not
// glow.
Grid density(const Field& field) {
  const Field wide = field.smoothed(1);
  Grid grid(field.rows().size(), field.columns());
  for (std::size_t row = 0; row < grid.rows(); ++row)
    for (std::size_t column = 0; column < grid.columns(); ++column) {
      const Cell& own = field.at(row, column);
      const Cell& cell = 2 * own.open > own.sites ? own : wide.at(row, column);
      grid.at(row, column) = ratio(cell.mass, 7 * cell.open);
    }
  return grid;
}

double mean_density(const Field& field) {
  Cell sum;
  for (const auto& cell : field.cells()) sum += cell;
  return ratio(sum.mass, 7 * sum.open);
}

// Positive where the gas turns clockwise, because y points south. Distances are in units of the cell
// distance.
Grid vorticity(const Field& field) {
  const Grid x = grid_of(field, velocity_x);
  const Grid y = grid_of(field, velocity_y);
  Grid turn(x.rows(), x.columns());
  const double width = kUnitX * static_cast<double>(field.cell_size());
  const auto height = static_cast<double>(field.cell_size());
  for (std::size_t row = 1; row + 1 < x.rows(); ++row)
    for (std::size_t column = 1; column + 1 < x.columns(); ++column)
      turn.at(row, column) = (y.at(row, column + 1) - y.at(row, column - 1)) / (2 * width) -
                             (x.at(row + 1, column) - x.at(row - 1, column)) / (2 * height);
  return turn;
}

// The values at both ends of a colour scale.
struct Scale {
  double low;
  double high;
  Colour (*colour)(double share);

  Colour of(double value) const { return colour((value - low) / (high - low)); }
};

Scale scale_of(Quantity quantity, const Field& field, const TunnelConfig& config) {
  const double speed = std::max(config.speed, 0.05);
  const double turn = 25 * speed / static_cast<double>(config.n);
  const double mean = mean_density(field);
  switch (quantity) {
    case Quantity::density:
      return {0.8 * mean, 1.2 * mean, two_sided_colour};
    case Quantity::speed:
      return {0, 1.6 * speed, rising_colour};
    case Quantity::vorticity:
      break;
  }
  return {-turn, turn, two_sided_colour};
}

Grid values_of(const Field& field, Quantity quantity) {
  if (quantity == Quantity::density) return density(field);
  if (quantity == Quantity::speed) return grid_of(field, speed);
  return vorticity(field);
}

void validate_drawing(const Field& field, const TunnelConfig& config, std::size_t width) {
  const Field whole(config, field.cell_size());
  if (field.rows() != whole.rows() || field.columns() != whole.columns())
    throw std::invalid_argument("wind tunnel: a picture needs the field of the whole tunnel");
  if (width < 16 || width > 16384)
    throw std::invalid_argument("wind tunnel: a picture of " + std::to_string(width) +
                                " pixels; allowed are 16 to 16384");
}

// Columns are closer together than rows: the tunnel is sqrt(3) times as long as it is high.
std::size_t height_of(std::size_t width) {
  return static_cast<std::size_t>(std::lround(static_cast<double>(width) / std::numbers::sqrt3));
}

// The quantities to draw, by position: 0 to 1 from west to east, and from north to south.
struct Drawing {
  const TunnelConfig& config;
  std::size_t cell_size;
  Grid values;
  Scale scale;

  bool is_solid_at(double across, double down) const {
    const auto row = static_cast<std::size_t>(down * static_cast<double>(config.rows()));
    const auto column = static_cast<std::size_t>(across * static_cast<double>(config.columns()));
    return is_solid(config, row, column);
  }

  Colour at(double across, double down) const {
    if (is_solid_at(across, down)) return kObstacleColour;
    const auto cell = static_cast<double>(cell_size);
    const double row = down * static_cast<double>(config.rows()) / cell;
    const double column = across * static_cast<double>(config.columns()) / cell;
    return scale.of(values.interpolated(row, column));
  }
};

// Returns the middle of a pixel.
double position(std::size_t pixel, std::size_t pixels) {
  return (static_cast<double>(pixel) + 0.5) / static_cast<double>(pixels);
}

void draw_row(const Drawing& drawing, std::size_t y, Picture& picture) {
  auto* rgb = picture.rgb.data() + y * picture.width * 3;
  for (std::size_t x = 0; x < picture.width; ++x, rgb += 3) {
    const Colour colour = drawing.at(position(x, picture.width), position(y, picture.height));
    rgb[0] = colour.red;
    rgb[1] = colour.green;
    rgb[2] = colour.blue;
  }
}

}  // namespace

Picture draw(const Field& field, Quantity quantity, const TunnelConfig& config, std::size_t width) {
  validate_drawing(field, config, width);
  const Drawing drawing{config, field.cell_size(), values_of(field, quantity),
                        scale_of(quantity, field, config)};
  Picture picture{width, height_of(width), {}};
  picture.rgb.resize(picture.width * picture.height * 3);
  for (std::size_t y = 0; y < picture.height; ++y) draw_row(drawing, y, picture);
  return picture;
}

}  // namespace eventspace::windtunnel
