#include "apps/windtunnel/gas/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace eventspace::windtunnel {
namespace {

constexpr std::size_t kLane = 8;  // cells are multiples of 8 sites
constexpr std::size_t kCellsAcross = 240;

// A picture is the mean of every fourth step of the last 64.
constexpr std::uint64_t kSampledSteps = 64;
constexpr std::uint64_t kSampleEvery = 4;

auto as_tuple(const Settings& settings) {
  const auto& tunnel = settings.tunnel;
  return std::tuple(tunnel.n, tunnel.obstacle, tunnel.seed, settings.steps, settings.frame_every,
                    settings.reduce_every, settings.barrier_every);
}

}  // namespace

bool Settings::is_frame_due(std::uint64_t steps_done) const {
  if (frame_every == 0 || steps_done == 0) return false;
  return steps_done % frame_every == 0 || steps_done == steps;
}

bool Settings::is_sample_due(std::uint64_t steps_done) const {
  if (frame_every == 0) return false;
  const auto next_frame = std::min((steps_done + frame_every - 1) / frame_every * frame_every, steps);
  const auto ahead = next_frame - steps_done;
  return ahead < kSampledSteps && ahead % kSampleEvery == 0;
}

bool Settings::is_balance_due(std::uint64_t steps_done) const {
  return reduce_every > 0 && steps_done % reduce_every == 0;
}

bool Settings::is_barrier_due(std::uint64_t steps_done) const {
  return barrier_every > 0 && steps_done % barrier_every == 0;
}

std::size_t Settings::cell() const {
  const auto exact = tunnel.columns() / kCellsAcross;
  return std::max(exact / kLane * kLane, kLane);
}

bool operator==(const Settings& a, const Settings& b) { return as_tuple(a) == as_tuple(b); }

std::string to_string(const Settings& settings) {
  const auto& tunnel = settings.tunnel;
  const auto pictures = settings.frame_every == 0
                            ? std::string()
                            : fmt::format(" --frames ... --every {}", settings.frame_every);
  std::string together;
  if (settings.reduce_every > 0) together += fmt::format(" --reduce-every {}", settings.reduce_every);
  if (settings.barrier_every > 0) together += fmt::format(" --barrier-every {}", settings.barrier_every);
  return fmt::format("--n {} --steps {} --seed {} --obstacle {}{}{}", tunnel.n, settings.steps, tunnel.seed,
                     to_string(tunnel.obstacle), pictures, together);
}

std::string to_string(Obstacle obstacle) {
  switch (obstacle) {
    case Obstacle::plate:
      return "plate";
    case Obstacle::cylinder:
      return "cylinder";
    case Obstacle::none:
      break;
  }
  return "none";
}

}  // namespace eventspace::windtunnel
