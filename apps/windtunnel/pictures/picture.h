// Pictures of the flow: a field of cells drawn in colours, true to scale, with the obstacle in grey.
//
// Colours span fixed ranges that follow from the configuration, so that the frames of a film can be compared;
// the range of the density is centred on the mean density of the field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "apps/windtunnel/gas/config.h"
#include "apps/windtunnel/gas/field.h"

namespace eventspace::windtunnel {

// Eight bits each of red, green and blue for each pixel, row by row from the top left.
struct Picture {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<std::uint8_t> rgb;
};

enum class Quantity : std::uint8_t {
  density,    // of particles; blue is low, red is high
  speed,      // of the gas; black is still, yellow is fast
  vorticity,  // of the gas; blue turns anticlockwise, red clockwise
};

inline constexpr std::size_t kDefaultPictureWidth = 1280;

// Draws a field of the whole tunnel, which must contain at least one sample; sums over several steps or
// neighbouring cells (Field::smoothed) are less noisy. Throws std::invalid_argument if the field is not of
// the whole tunnel, or the width is not 16 to 16384 pixels.
Picture draw(const Field& field, Quantity quantity, const TunnelConfig& config,
             std::size_t width = kDefaultPictureWidth);

// Writes a PNG file. A regular file appears under its name only when it is complete. Throws
// std::runtime_error that names the file, the reason and a remedy.
void write_png(const Picture& picture, const std::filesystem::path& file);

}  // namespace eventspace::windtunnel
