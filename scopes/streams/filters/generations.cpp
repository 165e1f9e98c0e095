#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "scopes/streams/filters/synchronisation.h"

// Waves while the filters of a stream are replaced.

namespace eventspace::streams {

bool Synchronisation::is_late(const Packet& packet) const {
  if (packet.generation > newest() || (packet.generation != 0 && packet.generation < oldest())) return true;
  if (!has_waves() || packet.ends) return false;
  if (place_of(packet) < next_) return true;
  // If a parent died while filters were replaced, the process may have made waves by the wrong ones.
  if (packet.generation == 0) return false;
  const auto known = generations_.find(packet.generation);
  return known == generations_.end() ||
         (known->second.keeps_waves && generation_of(packet.wave) != packet.generation);
}

std::uint32_t Synchronisation::generation_of(std::uint64_t wave) const {
  if (!has_waves()) return newest();
  for (auto at = generations_.rbegin(); at != generations_.rend(); ++at) {
    if (wave >= at->second.first) return at->first;
  }
  return oldest();
}

// The end of a generation is after all of its waves.
Synchronisation::Place Synchronisation::place_of(const Packet& packet) const {
  const std::uint32_t generation = packet.generation != 0 ? packet.generation : generation_of(packet.wave);
  return {generation, packet.ends ? std::numeric_limits<std::uint64_t>::max() : packet.wave};
}

void Synchronisation::begin_at(std::uint64_t wave, std::uint32_t generation) {
  next_ = {generation, wave};
  generations_ = {{generation, generations_.begin()->second}};
}

void Synchronisation::begin_generation(std::uint32_t generation, std::uint64_t first, bool keeps_waves) {
  generations_[generation] = {first, keeps_waves};
}

// Without waves, the end of a generation for one child does not concern the others.
void Synchronisation::drop_marks() {
  for (auto& [key, input] : inputs_) {
    while (!input.packets.empty() && input.packets.front().packet.ends) (void)pop(input);
  }
}

bool Synchronisation::has_ended_for(const Input& input) const {
  if (input.packets.empty()) return input.gone || !input.is_process || input.ended >= oldest();
  const Packet& first = input.packets.front().packet;
  return place_of(first).generation > oldest() || first.ends;
}

bool Synchronisation::has_ended() const {
  const auto ended_for = [this](const auto& entry) { return has_ended_for(entry.second); };
  if (!std::all_of(inputs_.begin(), inputs_.end(), ended_for)) return false;
  if (!has_waves()) return true;
  // A back-end that has sent nothing may still send packets of the old generation.
  const Place border{oldest(), std::next(generations_.begin())->second.first};
  const auto may_send = [border](const auto& entry) {
    const Input& input = entry.second;
    return !input.is_process && !input.gone && input.packets.empty() && input.from < border.wave;
  };
  return next_ >= border || (!inputs_.empty() && std::none_of(inputs_.begin(), inputs_.end(), may_send));
}

std::optional<std::uint32_t> Synchronisation::take_end(Clock::time_point now) {
  if (is_held_ || oldest() == newest()) return std::nullopt;
  if (!has_waves()) drop_marks();
  const auto first = first_place();
  const auto until = due();
  const bool is_due = has_waves() && until && now >= *until && first && first->generation > oldest();
  if (!is_due && !has_ended()) return std::nullopt;
  const std::uint32_t ended = oldest();
  generations_.erase(ended);
  next_ = std::max(next_, Place{oldest(), generations_.begin()->second.first});
  for (auto& [key, input] : inputs_) {
    while (!input.packets.empty() && input.packets.front().packet.ends &&
           input.packets.front().packet.generation <= ended)
      (void)pop(input);
    if (input.is_process) input.from = 0;  // its numbers may now start anywhere
  }
  remove_gone();
  look_when_began();
  return ended;
}

}  // namespace eventspace::streams
