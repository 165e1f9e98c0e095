#include "scopes/streams/filters/wave_generations.h"

#include <iterator>

namespace eventspace::streams {

std::uint32_t WaveGenerations::end_oldest() {
  const std::uint32_t ended = oldest();
  all_.erase(ended);
  return ended;
}

WavePlace WaveGenerations::end_of_oldest() const { return {oldest(), std::next(all_.begin())->second.first}; }

bool WaveGenerations::admits_of_process(const Packet& packet) const {
  const std::uint32_t generation = packet.generation;
  if (generation > newest() || generation < oldest()) return false;
  if (!has_waves_ || packet.ends) return true;
  // If a parent died while filters were replaced, the process may have made waves by the wrong ones.
  const auto known = all_.find(generation);
  return known != all_.end() && (!known->second.keeps_waves || generation_of(packet.wave) == generation);
}

}  // namespace eventspace::streams
