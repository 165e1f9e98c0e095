// The configuration of a wind tunnel: its size, the obstacle in it, the gas that flows through it, and the
// seed of its random numbers. Two tunnels of the same configuration are bit-identical.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace eventspace::windtunnel {

enum class Obstacle : std::uint8_t {
  none,      // an empty channel between two walls
  plate,     // across the flow, a fifth of the tunnel high
  cylinder,  // a fifth of the tunnel in diameter
};

// The problem sizes of the EventSpace paper, section 6. In it, medium and small are 1/2 and 1/8 of large,
// which is 7680.
inline constexpr std::size_t kSmall = 960;
inline constexpr std::size_t kMedium = 3840;
inline constexpr std::size_t kLarge = 7680;

inline constexpr std::size_t kMinN = 32;
inline constexpr std::size_t kMaxN = 65536;

struct TunnelConfig {
  // The lattice has n rows and 2n columns. A multiple of 32, so that a row is whole 64-bit words.
  std::size_t n = kSmall;

  Obstacle obstacle = Obstacle::cylinder;

  std::uint64_t seed = 1;

  // The density of the gas that comes in: the mean occupation of a channel, above 0 and below 1 (7 times that
  // is the number of particles per site). At the default the gas has the least viscosity (Frisch et al.,
  // 1987).
  double density = 0.285;

  // The mean speed eastwards of the gas that comes in, in units of a particle's speed, 0 to 0.49. Sound
  // travels at 0.65.
  double speed = 0.3;

  std::size_t rows() const { return n; }
  std::size_t columns() const { return 2 * n; }
  std::size_t words() const { return columns() / 64; }
  std::size_t sites() const { return rows() * columns(); }
};

// Throws std::invalid_argument that names the wrong value and the allowed range.
void validate(const TunnelConfig& config);

// Parses "none", "plate" or "cylinder"; throws std::invalid_argument for any other name.
Obstacle parse_obstacle(std::string_view name);

// Parses "small", "medium", "large" or a number that is a valid n; throws std::invalid_argument for anything
// else.
std::size_t parse_size(std::string_view text);

// The probabilities that a channel is occupied in the gas that comes in. To first order in the speed this is
// the equilibrium of the lattice gas; its density and mean speed are exactly as configured.
struct Occupation {
  double east;     // north_east, south_east
  double neutral;  // north, south, rest
  double west;     // north_west, south_west
};

Occupation inflow_occupation(const TunnelConfig& config);

}  // namespace eventspace::windtunnel
