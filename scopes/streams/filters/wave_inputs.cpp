#include "scopes/streams/filters/wave_inputs.h"

#include <algorithm>
#include <iterator>

namespace eventspace::streams {

const WaveInputs::Input* WaveInputs::find(Child child) const {
  const auto of = of_.find(child);
  return of == of_.end() ? nullptr : &of->second->second;
}

WaveInputs::Input* WaveInputs::find(Child child) {
  const auto of = of_.find(child);
  return of == of_.end() ? nullptr : &of->second->second;
}

void WaveInputs::join(Child child, const RankSet& ranks, Input made) {
  lost_ = lost_ - ranks;
  const Key key{ranks.at(0).value_or(RankSet::most), child};
  const auto known = of_.find(child);
  if (known == of_.end()) {
    newest_from_ = std::max(newest_from_, made.from);
    made.ranks = ranks;
    of_.emplace(child, inputs_.try_emplace(key, std::move(made)).first);
    ++waited_for_;
    return;
  }
  auto moved = inputs_.extract(known->second);
  moved.key() = key;
  Input& input = moved.mapped();
  name_in_held(input, ranks - input.ranks - input.others);
  input.others = (input.others | input.ranks) - ranks;
  input.ranks = ranks;
  known->second = inputs_.insert(std::move(moved)).position;
}

void WaveInputs::claim(Child child, const RankSet& ranks) {
  Input* const input = find(child);
  if (input == nullptr || input->gone) return;
  const RankSet news = ranks - input->ranks - input->others;
  name_in_held(*input, news);
  input->others = input->others | news;
}

// The queued packets were made without these end-points.
void WaveInputs::name_in_held(Input& input, const RankSet& ranks) const {
  if (ranks.empty() || !names_in_held_) return;
  for (Held& held : input.packets) held.packet.ranks = held.packet.ranks | ranks;
}

void WaveInputs::leave(Child child) {
  Input* const input = find(child);
  if (input == nullptr || input->gone) return;
  input->gone = true;
  if (input->packets.empty()) --waited_for_;
  lost_ = lost_ | input->ranks;
  remove_gone();
}

RankSet WaveInputs::unknown(const RankSet& ranks) const {
  RankSet rest = ranks - lost_;
  for (const auto& [key, input] : inputs_) {
    if (rest.empty()) break;
    rest = rest - input.ranks;
  }
  return rest;
}

void WaveInputs::remove_gone() {
  for (auto input = inputs_.begin(); input != inputs_.end();) {
    const bool is_over = input->second.gone && input->second.packets.empty();
    if (is_over) of_.erase(input->first.second);
    input = is_over ? inputs_.erase(input) : std::next(input);
  }
}

void WaveInputs::drop_marks() {
  for (auto& [key, input] : inputs_) {
    while (!input.packets.empty() && input.packets.front().packet.ends) (void)pop(input);
  }
}

bool WaveInputs::have_all_of(std::uint64_t wave) const {
  return std::ranges::none_of(inputs_, [wave](const auto& entry) {
    return entry.second.packets.empty() && !entry.second.gone && entry.second.from <= wave;
  });
}

void WaveInputs::forget(const RankSet& ranks) {
  lost_ = lost_ - ranks;
  for (auto& [key, input] : inputs_) input.others = input.others - ranks;
}

RankSet WaveInputs::found_in(const Input& input, const Packet& packet) {
  if (!input.gone && input.others.empty()) return {};
  return (input.gone ? input.others | input.ranks : input.others) - packet.ranks;
}

void WaveInputs::name_missing(Wave& wave) const {
  for (const Contribution& one : wave.packets) {
    if (one.packet.ranks.empty()) continue;
    // A child may name end-points that it has lost, and that are now below another child.
    const Input* const input = find(one.child);
    wave.missing = wave.missing | (input != nullptr ? one.packet.ranks & input->ranks : one.packet.ranks);
  }
}

void WaveInputs::look_when_began() {
  began_.reset();
  if (queued_ == 0) return;
  for (const auto& [key, input] : inputs_) {
    if (input.packets.empty() || input.packets.front().packet.ends) continue;
    const Clock::time_point came = input.packets.front().came;
    began_ = began_ ? std::min(*began_, came) : came;
  }
}

std::size_t WaveInputs::held(Child child) const {
  const Input* const input = find(child);
  return input == nullptr ? 0 : input->packets.size();
}

std::size_t WaveInputs::held_bytes(Child child) const {
  const Input* const input = find(child);
  return input == nullptr ? 0 : input->bytes;
}

}  // namespace eventspace::streams
