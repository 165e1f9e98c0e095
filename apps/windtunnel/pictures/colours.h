// Colour scales: they map a share from 0 to 1 to a colour between fixed anchors.
#pragma once

#include <cstdint>

namespace eventspace::windtunnel {

struct Colour {
  std::uint8_t red;
  std::uint8_t green;
  std::uint8_t blue;
};

inline constexpr Colour kObstacleColour = {96, 96, 96};

// From black through blue, magenta and orange to pale yellow, with rising lightness. Shares outside 0 to 1
// get the colours of the ends.
Colour rising_colour(double share);

// From blue through white, at one half, to red.
Colour two_sided_colour(double share);

}  // namespace eventspace::windtunnel
