#include "scopes/streams/filters/synchronisation.h"

#include <algorithm>
#include <utility>

namespace eventspace::streams {

void Synchronisation::join(Child child, const RankSet& ranks, std::uint64_t from, bool is_process) {
  inputs_.join(child, ranks, {.from = from, .is_process = is_process, .ended = generations_.newest() - 1});
}

void Synchronisation::add(Child child, Packet packet, Clock::time_point now) {
  WaveInputs::Input* const input = inputs_.find(child);
  if (packet.lost && !has_waves()) return;  // without waves, marks of losses are not needed
  if (packet.ends && packet.generation < generations_.oldest()) return;
  if (input == nullptr || input->gone || is_late(packet)) {
    ++late_;
    return;
  }
  inputs_.add(*input, std::move(packet), now);
}

bool Synchronisation::is_late(const Packet& packet) const {
  if (!generations_.admits(packet)) return true;
  return has_waves() && !packet.ends && generations_.place_of(packet) < next_;
}

std::optional<WavePlace> Synchronisation::first_place() const {
  std::optional<WavePlace> first;
  for (const auto& [key, input] : inputs_.all()) {
    if (input.packets.empty() || input.packets.front().packet.ends) continue;
    const WavePlace place = generations_.place_of(input.packets.front().packet);
    first = first ? std::min(*first, place) : place;
  }
  return first;
}

// Each child is checked only while there are children that joined recently.
bool Synchronisation::is_complete() const {
  if (!has_packets()) return false;
  if (inputs_.have_all()) return true;
  if (inputs_.newest_from() <= next_.wave) return false;
  return inputs_.have_all_of(first_place().value_or(next_).wave);
}

std::optional<Wave> Synchronisation::next(Clock::time_point now) {
  if (!has_packets() || is_held_) return std::nullopt;
  if (how_ == Synchronise::do_not_wait) return take_any();
  if (how_ == Synchronise::rule) return take_by_rule(now);
  const auto until = due();
  if (!is_complete() && (!until || now < *until)) return std::nullopt;
  const auto first = first_place();
  if (!first || first->generation > generations_.oldest()) return std::nullopt;  // take_end() comes first
  return take_first(*first);
}

std::optional<Synchronisation::Clock::time_point> Synchronisation::due() const {
  if (is_held_) return std::nullopt;
  if (how_ == Synchronise::rule) {
    const auto when = has_packets() ? rule_->due() : std::nullopt;
    // A rule that is always due must not keep the process busy.
    return when ? std::optional(std::max(*when, asked_ + std::chrono::milliseconds(1))) : std::nullopt;
  }
  if (how_ != Synchronise::time_out || !inputs_.began()) return std::nullopt;
  return *inputs_.began() + std::chrono::ceil<Clock::duration>(time_out_);
}

std::optional<Wave> Synchronisation::take_any() {
  inputs_.drop_marks();
  for (auto& [key, input] : inputs_.all()) {
    if (input.packets.empty()) continue;
    Wave wave;
    WaveInputs::Held held = inputs_.pop(input);
    wave.packets.push_back({key.second, std::move(held.packet), held.came});
    wave.number = wave.packets.front().packet.wave;
    wave.missing = wave.packets.front().packet.ranks;
    wave.generation = generations_.place_of(wave.packets.front().packet).generation;
    if (input.gone) inputs_.remove_gone();
    if (!has_packets()) inputs_.look_when_began();
    return wave;
  }
  return std::nullopt;
}

// If a child has only a packet of a later wave, it has lost the packet of this wave.
Wave Synchronisation::take_first(WavePlace first) {
  Wave wave{first.wave, {}, inputs_.lost(), first.generation};
  wave.packets.reserve(inputs_.all().size());
  bool one_is_gone = false;
  RankSet present;
  for (auto& [key, input] : inputs_.all()) {
    if (input.packets.empty() || generations_.place_of(input.packets.front().packet) != first) {
      wave.missing = wave.missing | input.ranks;
      continue;
    }
    one_is_gone |= input.gone;
    WaveInputs::Held held = inputs_.pop(input);
    if (held.packet.lost) {
      wave.missing = wave.missing | input.ranks;
      continue;
    }
    present = present | WaveInputs::found_in(input, held.packet);
    wave.packets.push_back({key.second, std::move(held.packet), held.came});
  }
  inputs_.name_missing(wave);
  wave.missing = wave.missing - present;
  next_ = {first.generation, first.wave + 1};
  if (one_is_gone) inputs_.remove_gone();
  inputs_.look_when_began();
  return wave;
}

// --- by a rule ------------------------------------------------------------------------------------------

std::optional<Wave> Synchronisation::take_by_rule(Clock::time_point now) {
  inputs_.drop_marks();
  while (has_packets()) {
    const WaveRule::Choice choice = choose(now);
    const std::size_t before = inputs_.queued();
    drop(choice.drop);
    Wave wave = take(choice.pass);
    inputs_.remove_gone();
    if (!wave.packets.empty()) return wave;
    if (inputs_.queued() == before) break;  // it chose only packets that do not exist
  }
  return std::nullopt;
}

WaveRule::Choice Synchronisation::choose(Clock::time_point now) {
  asked_ = now;
  std::vector<Waiting> waiting;
  std::vector<Child> children;
  for (const auto& [key, input] : inputs_.all()) {
    Waiting& one = waiting.emplace_back();
    one = {.child = key.second, .ranks = &input.ranks, .packets = input.packets.size()};
    if (input.packets.empty()) continue;
    one.first = &input.packets.front().packet;
    one.came = input.packets.front().came;
    children.push_back(key.second);
  }
  try {
    return rule_->choose(waiting, now);
  } catch (...) {
    drop(children);
    inputs_.remove_gone();
    throw;
  }
}

void Synchronisation::drop(const std::vector<Child>& children) {
  for (const Child child : children) {
    WaveInputs::Input* const input = inputs_.find(child);
    if (input == nullptr || input->packets.empty()) continue;
    (void)inputs_.pop(*input);
    ++late_;
  }
}

Wave Synchronisation::take(const std::vector<Child>& children) {
  Wave wave{next_.wave, {}, inputs_.lost(), generations_.oldest()};
  RankSet present;
  for (auto& [key, input] : inputs_.all()) {
    const bool is_chosen = std::find(children.begin(), children.end(), key.second) != children.end();
    if (!is_chosen || input.packets.empty()) {
      wave.missing = wave.missing | input.ranks;
      continue;
    }
    WaveInputs::Held held = inputs_.pop(input);
    wave.generation = std::max(wave.generation, generations_.place_of(held.packet).generation);
    present = present | WaveInputs::found_in(input, held.packet);
    wave.packets.push_back({key.second, std::move(held.packet), held.came});
  }
  inputs_.name_missing(wave);
  wave.missing = wave.missing - present;
  if (!wave.packets.empty()) ++next_.wave;
  inputs_.drop_marks();
  return wave;
}

// --- generations ----------------------------------------------------------------------------------------

void Synchronisation::begin_at(std::uint64_t wave, std::uint32_t generation) {
  next_ = {generation, wave};
  generations_.begin_at(generation);
}

bool Synchronisation::has_ended_for(const WaveInputs::Input& input) const {
  if (input.packets.empty()) return input.gone || !input.is_process || input.ended >= generations_.oldest();
  const Packet& first = input.packets.front().packet;
  return generations_.place_of(first).generation > generations_.oldest() || first.ends;
}

bool Synchronisation::has_ended() const {
  const auto& inputs = inputs_.all();
  const auto ended_for = [this](const auto& entry) { return has_ended_for(entry.second); };
  if (!std::all_of(inputs.begin(), inputs.end(), ended_for)) return false;
  if (!has_waves()) return true;
  // A back-end that has sent nothing may still send packets of the old generation.
  const WavePlace border = generations_.end_of_oldest();
  const auto may_send = [border](const auto& entry) {
    const WaveInputs::Input& input = entry.second;
    return !input.is_process && !input.gone && input.packets.empty() && input.from < border.wave;
  };
  return next_ >= border || (!inputs.empty() && std::none_of(inputs.begin(), inputs.end(), may_send));
}

std::optional<std::uint32_t> Synchronisation::take_end(Clock::time_point now) {
  if (is_held_ || generations_.oldest() == generations_.newest()) return std::nullopt;
  if (!has_waves()) inputs_.drop_marks();
  const auto first = first_place();
  const auto until = due();
  const bool is_due =
      has_waves() && until && now >= *until && first && first->generation > generations_.oldest();
  if (!is_due && !has_ended()) return std::nullopt;
  const std::uint32_t ended = generations_.end_oldest();
  next_ = std::max(next_, generations_.first_place());
  for (auto& [key, input] : inputs_.all()) {
    while (!input.packets.empty() && input.packets.front().packet.ends &&
           input.packets.front().packet.generation <= ended)
      (void)inputs_.pop(input);
    if (input.is_process) input.from = 0;  // its numbers may now start anywhere
  }
  inputs_.remove_gone();
  inputs_.look_when_began();
  return ended;
}

}  // namespace eventspace::streams
