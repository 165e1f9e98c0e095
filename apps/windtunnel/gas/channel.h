// The directions in which particles of the wind tunnel move, and their momenta.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace eventspace::windtunnel {

// The six moving channels clockwise, so that the opposite of channel i is channel i + 3 modulo 6.
enum class Channel : std::uint8_t { north, north_east, south_east, south, south_west, north_west, rest };

inline constexpr std::size_t kMovingChannels = 6;
inline constexpr std::size_t kChannels = 7;

inline constexpr std::array<Channel, kChannels> kAllChannels = {
    Channel::north,      Channel::north_east, Channel::south_east, Channel::south,
    Channel::south_west, Channel::north_west, Channel::rest};

constexpr std::size_t index_of(Channel channel) { return static_cast<std::size_t>(channel); }

// Momentum in whole numbers. One unit of x is sqrt(3)/2 and one unit of y is 1/2 of the momentum of a moving
// particle; x points east, y points south, like columns and rows.
struct Momentum {
  std::int64_t x = 0;
  std::int64_t y = 0;
  friend bool operator==(const Momentum&, const Momentum&) = default;
};

inline constexpr double kUnitX = 0.86602540378443864676;
inline constexpr double kUnitY = 0.5;

constexpr Momentum momentum_of(Channel channel) {
  constexpr std::array<Momentum, kChannels> kMomenta = {
      {{0, -2}, {1, -1}, {1, 1}, {0, 2}, {-1, 1}, {-1, -1}, {0, 0}}};
  return kMomenta[index_of(channel)];
}

// The two cuts of a slice.
enum class Side : std::uint8_t { north, south };

inline constexpr std::array<Side, 2> kSides = {Side::north, Side::south};

constexpr Side opposite(Side side) { return side == Side::north ? Side::south : Side::north; }

// The channels whose particles leave a slice through the given side.
constexpr std::array<Channel, 3> leaving(Side side) {
  if (side == Side::north) return {Channel::north, Channel::north_east, Channel::north_west};
  return {Channel::south, Channel::south_east, Channel::south_west};
}

// The channels whose particles come into a slice through the given side.
constexpr std::array<Channel, 3> entering(Side side) { return leaving(opposite(side)); }

}  // namespace eventspace::windtunnel
