#include "apps/windtunnel/gas/config.h"

#include <stdexcept>
#include <string>

#include "apps/windtunnel/gas/channel.h"
#include "tuplespace/parsing/number_in.h"

namespace eventspace::windtunnel {
namespace {

constexpr std::size_t kWordBits = 64;

[[noreturn]] void refuse(const std::string& what, const std::string& allowed) {
  throw std::invalid_argument("wind tunnel: " + what + "; " + allowed);
}

void validate_size(std::size_t n) {
  if (n >= kMinN && n <= kMaxN && 2 * n % kWordBits == 0) return;
  refuse("n is " + std::to_string(n),
         "n must be a multiple of 32 from " + std::to_string(kMinN) + " to " + std::to_string(kMaxN));
}

bool is_probability(double value) { return value >= 0 && value <= 1; }

}  // namespace

void validate(const TunnelConfig& config) {
  validate_size(config.n);
  if (!(config.density > 0 && config.density < 1))
    refuse("density is " + std::to_string(config.density),
           "it is the mean occupation of a channel, above 0 and below 1");
  const auto occupation = inflow_occupation(config);
  if (!(config.speed >= 0) || !is_probability(occupation.west))
    refuse("speed is " + std::to_string(config.speed), "allowed are 0 to 0.49");
  if (!is_probability(occupation.east))
    refuse("speed " + std::to_string(config.speed) + " is too high for density " +
               std::to_string(config.density),
           "density * (1 + 2.02 * speed) must not exceed 1");
}

Obstacle parse_obstacle(std::string_view name) {
  if (name == "none") return Obstacle::none;
  if (name == "plate") return Obstacle::plate;
  if (name == "cylinder") return Obstacle::cylinder;
  refuse("unknown obstacle '" + std::string(name) + "'", "known: plate, cylinder, none");
}

std::size_t parse_size(std::string_view text) {
  if (text == "small") return kSmall;
  if (text == "medium") return kMedium;
  if (text == "large") return kLarge;
  const auto n = number_in<std::size_t>(text);
  if (!n) refuse("unknown size '" + std::string(text) + "'", "known: small, medium, large, or a number n");
  validate_size(*n);
  return *n;
}

// The flux of the four slanted channels is 4 * density * bias * kUnitX; it must be 7 * density * speed.
Occupation inflow_occupation(const TunnelConfig& config) {
  const double bias = config.speed * static_cast<double>(kChannels) / (4 * kUnitX);
  return {config.density * (1 + bias), config.density, config.density * (1 - bias)};
}

}  // namespace eventspace::windtunnel
