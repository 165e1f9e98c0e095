#include "apps/windtunnel/pictures/colours.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace eventspace::windtunnel {
namespace {

constexpr std::array<Colour, 6> kRising = {
    {{4, 4, 20}, {30, 40, 120}, {130, 40, 140}, {220, 70, 90}, {250, 160, 60}, {255, 245, 190}}};
constexpr std::array<Colour, 5> kTwoSided = {
    {{10, 40, 120}, {70, 140, 210}, {246, 246, 246}, {225, 110, 80}, {120, 10, 30}}};

std::uint8_t between(std::uint8_t from, std::uint8_t to, double share) {
  return static_cast<std::uint8_t>(std::lround(from + share * (to - from)));
}

Colour interpolate(std::span<const Colour> anchors, double share) {
  const double place = std::clamp(share, 0.0, 1.0) * static_cast<double>(anchors.size() - 1);
  const auto index = std::min(static_cast<std::size_t>(place), anchors.size() - 2);
  const double rest = place - static_cast<double>(index);
  const auto& from = anchors[index];
  const auto& to = anchors[index + 1];
  return {between(from.red, to.red, rest), between(from.green, to.green, rest),
          between(from.blue, to.blue, rest)};
}

}  // namespace

Colour rising_colour(double share) { return interpolate(kRising, share); }
Colour two_sided_colour(double share) { return interpolate(kTwoSided, share); }

}  // namespace eventspace::windtunnel
