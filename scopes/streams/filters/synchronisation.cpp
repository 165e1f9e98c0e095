#include "scopes/streams/filters/synchronisation.h"

#include <algorithm>
#include <limits>

namespace eventspace::streams {

const Synchronisation::Input* Synchronisation::find(Child child) const {
  const auto of = of_.find(child);
  return of == of_.end() ? nullptr : &of->second->second;
}

void Synchronisation::join(Child child, const RankSet& ranks, std::uint64_t from, bool is_process) {
  lost_ = lost_ - ranks;
  const Key key{ranks.at(0).value_or(RankSet::most), child};
  const auto known = of_.find(child);
  if (known == of_.end()) {
    const auto made = inputs_.try_emplace(key).first;
    of_.emplace(child, made);
    Input& input = made->second;
    input.ranks = ranks;
    input.from = from;
    input.is_process = is_process;
    input.ended = newest() - 1;
    newest_from_ = std::max(newest_from_, from);
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

void Synchronisation::claim(Child child, const RankSet& ranks) {
  Input* const input = find(child);
  if (input == nullptr || input->gone) return;
  const RankSet news = ranks - input->ranks - input->others;
  name_in_held(*input, news);
  input->others = input->others | news;
}

// The queued packets were made without these end-points.
void Synchronisation::name_in_held(Input& input, const RankSet& ranks) const {
  if (ranks.empty() || how_ == Synchronise::do_not_wait) return;
  for (Held& held : input.packets) held.packet.ranks = held.packet.ranks | ranks;
}

void Synchronisation::leave(Child child) {
  Input* const input = find(child);
  if (input == nullptr || input->gone) return;
  input->gone = true;
  if (input->packets.empty()) --waited_for_;
  lost_ = lost_ | input->ranks;
  remove_gone();
}

RankSet Synchronisation::unknown(const RankSet& ranks) const {
  RankSet rest = ranks - lost_;
  for (const auto& [key, input] : inputs_) {
    if (rest.empty()) break;
    rest = rest - input.ranks;
  }
  return rest;
}

void Synchronisation::remove_gone() {
  for (auto input = inputs_.begin(); input != inputs_.end();) {
    const bool is_over = input->second.gone && input->second.packets.empty();
    if (is_over) of_.erase(input->first.second);
    input = is_over ? inputs_.erase(input) : std::next(input);
  }
}

void Synchronisation::add(Child child, Packet packet, Clock::time_point now) {
  Input* const input = find(child);
  if (packet.lost && !has_waves()) return;  // without waves, marks of losses are not needed
  if (packet.ends && packet.generation < oldest()) return;
  if (input == nullptr || input->gone || is_late(packet)) {
    ++late_;
    return;
  }
  if (input->packets.empty()) --waited_for_;
  if (!began_ && !packet.ends) began_ = now;
  ++queued_;
  input->bytes += packet.bytes();
  input->packets.push_back({std::move(packet), now});
}

std::optional<Synchronisation::Place> Synchronisation::first_place() const {
  std::optional<Place> first;
  for (const auto& [key, input] : inputs_) {
    if (input.packets.empty() || input.packets.front().packet.ends) continue;
    const Place place = place_of(input.packets.front().packet);
    first = first ? std::min(*first, place) : place;
  }
  return first;
}

// Each child is checked only while there are children that joined recently.
bool Synchronisation::is_complete() const {
  if (!has_packets()) return false;
  if (waited_for_ == 0) return true;
  if (newest_from_ <= next_.wave) return false;
  const std::uint64_t wave = first_place().value_or(next_).wave;
  return std::ranges::none_of(inputs_, [wave](const auto& entry) {
    return entry.second.packets.empty() && !entry.second.gone && entry.second.from <= wave;
  });
}

std::optional<Wave> Synchronisation::next(Clock::time_point now) {
  if (!has_packets() || is_held_) return std::nullopt;
  if (how_ == Synchronise::do_not_wait) return take_any();
  if (how_ == Synchronise::rule) return take_by_rule(now);
  const auto until = due();
  if (!is_complete() && (!until || now < *until)) return std::nullopt;
  const auto first = first_place();
  if (!first || first->generation > oldest()) return std::nullopt;  // take_end() comes first
  return take_first(*first);
}

std::optional<Synchronisation::Clock::time_point> Synchronisation::due() const {
  if (is_held_) return std::nullopt;
  if (how_ == Synchronise::rule) {
    const auto when = has_packets() ? rule_->due() : std::nullopt;
    // A rule that is always due must not keep the process busy.
    return when ? std::optional(std::max(*when, asked_ + std::chrono::milliseconds(1))) : std::nullopt;
  }
  if (how_ != Synchronise::time_out || !began_) return std::nullopt;
  return *began_ + std::chrono::ceil<Clock::duration>(time_out_);
}

Synchronisation::Held Synchronisation::pop(Input& input) {
  Held held = std::move(input.packets.front());
  input.packets.pop_front();
  input.bytes -= held.packet.bytes();
  --queued_;
  if (input.packets.empty() && !input.gone) ++waited_for_;
  if (!input.is_process) next_of_back_ends_ = std::max(next_of_back_ends_, held.packet.wave + 1);
  if (held.packet.generation > 0)
    input.ended = std::max(input.ended, held.packet.generation - (held.packet.ends ? 0 : 1));
  return held;
}

std::optional<Wave> Synchronisation::take_any() {
  drop_marks();
  for (auto& [key, input] : inputs_) {
    if (input.packets.empty()) continue;
    Wave wave;
    Held held = pop(input);
    wave.packets.push_back({key.second, std::move(held.packet), held.came});
    wave.number = wave.packets.front().packet.wave;
    wave.missing = wave.packets.front().packet.ranks;
    wave.generation = place_of(wave.packets.front().packet).generation;
    if (input.gone) remove_gone();
    if (!has_packets()) began_.reset();
    return wave;
  }
  return std::nullopt;
}

// If a child has only a packet of a later wave, it has lost the packet of this wave.
Wave Synchronisation::take_first(Place first) {
  Wave wave{first.wave, {}, lost_, first.generation};
  wave.packets.reserve(inputs_.size());
  bool one_is_gone = false;
  RankSet present;
  for (auto& [key, input] : inputs_) {
    if (input.packets.empty() || place_of(input.packets.front().packet) != first) {
      wave.missing = wave.missing | input.ranks;
      continue;
    }
    one_is_gone |= input.gone;
    Held held = pop(input);
    if (held.packet.lost) {
      wave.missing = wave.missing | input.ranks;
      continue;
    }
    present = present | found_in(input, held.packet);
    wave.packets.push_back({key.second, std::move(held.packet), held.came});
  }
  name_missing(wave);
  wave.missing = wave.missing - present;
  next_ = {first.generation, first.wave + 1};
  if (one_is_gone) remove_gone();
  look_when_began();
  return wave;
}

void Synchronisation::forget(const RankSet& ranks) {
  lost_ = lost_ - ranks;
  for (auto& [key, input] : inputs_) input.others = input.others - ranks;
}

// The end-points in a packet that are not known below any child, or are known below another one, which names
// them as missing.
RankSet Synchronisation::found_in(const Input& input, const Packet& packet) {
  if (!input.gone && input.others.empty()) return {};
  return (input.gone ? input.others | input.ranks : input.others) - packet.ranks;
}

// Adds the end-points that are missing in the packets of the wave.
void Synchronisation::name_missing(Wave& wave) const {
  for (const Contribution& one : wave.packets) {
    if (one.packet.ranks.empty()) continue;
    // A child may name end-points that it has lost, and that are now below another child.
    const Input* const input = find(one.child);
    wave.missing = wave.missing | (input != nullptr ? one.packet.ranks & input->ranks : one.packet.ranks);
  }
}

// --- by a rule ------------------------------------------------------------------------------------------

std::optional<Wave> Synchronisation::take_by_rule(Clock::time_point now) {
  drop_marks();
  while (has_packets()) {
    const WaveRule::Choice choice = choose(now);
    const std::size_t before = queued_;
    drop(choice.drop);
    Wave wave = take(choice.pass);
    remove_gone();
    if (!wave.packets.empty()) return wave;
    if (queued_ == before) break;  // it chose only packets that do not exist
  }
  return std::nullopt;
}

WaveRule::Choice Synchronisation::choose(Clock::time_point now) {
  asked_ = now;
  std::vector<Waiting> waiting;
  std::vector<Child> children;
  for (const auto& [key, input] : inputs_) {
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
    remove_gone();
    throw;
  }
}

void Synchronisation::drop(const std::vector<Child>& children) {
  for (const Child child : children) {
    Input* const input = find(child);
    if (input == nullptr || input->packets.empty()) continue;
    (void)pop(*input);
    ++late_;
  }
}

Wave Synchronisation::take(const std::vector<Child>& children) {
  Wave wave{next_.wave, {}, lost_, oldest()};
  RankSet present;
  for (auto& [key, input] : inputs_) {
    const bool is_chosen = std::find(children.begin(), children.end(), key.second) != children.end();
    if (!is_chosen || input.packets.empty()) {
      wave.missing = wave.missing | input.ranks;
      continue;
    }
    Held held = pop(input);
    wave.generation = std::max(wave.generation, place_of(held.packet).generation);
    present = present | found_in(input, held.packet);
    wave.packets.push_back({key.second, std::move(held.packet), held.came});
  }
  name_missing(wave);
  wave.missing = wave.missing - present;
  if (!wave.packets.empty()) ++next_.wave;
  drop_marks();
  return wave;
}

void Synchronisation::look_when_began() {
  began_.reset();
  if (!has_packets()) return;
  for (const auto& [key, input] : inputs_) {
    if (input.packets.empty() || input.packets.front().packet.ends) continue;
    const Clock::time_point came = input.packets.front().came;
    began_ = began_ ? std::min(*began_, came) : came;
  }
}

std::size_t Synchronisation::held(Child child) const {
  const Input* const input = find(child);
  return input == nullptr ? 0 : input->packets.size();
}

std::size_t Synchronisation::held_bytes(Child child) const {
  const Input* const input = find(child);
  return input == nullptr ? 0 : input->bytes;
}

}  // namespace eventspace::streams
