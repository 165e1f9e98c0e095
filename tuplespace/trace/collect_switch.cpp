#include "tuplespace/trace/collect_switch.h"

#include <algorithm>

namespace eventspace {

CollectSwitch::CollectSwitch(bool by_program) noexcept : reduced_(by_program ? 0 : by_program_bit) {
  for (Word& period : periods_) period.store(everything, std::memory_order_relaxed);
}

void CollectSwitch::set_by_program(bool on) noexcept {
  if (on) {
    reduced_.fetch_and(~by_program_bit);
  } else {
    reduced_.fetch_or(by_program_bit);
  }
}

void CollectSwitch::set(EventClasses events, std::uint32_t period) noexcept {
  // Classes of two kinds with the same number are unrelated.
  if (events.kind == EventClasses::all_kinds && events.event_class != EventClasses::all_classes) return;
  for (std::size_t i = 0; i < periods_.size(); ++i) {
    const bool is_of_kind = events.kind == EventClasses::all_kinds || events.kind == i / classes;
    const bool is_of_class =
        events.event_class == EventClasses::all_classes || events.event_class == i % classes;
    if (is_of_kind && is_of_class) periods_[i].store(period);
  }
  reduced_.fetch_or(by_period_bit);
  if (!has_all_periods_one()) return;
  reduced_.fetch_and(~by_period_bit);
  // Another writer may have stored a period after this check, and set the bit before it was cleared.
  if (!has_all_periods_one()) reduced_.fetch_or(by_period_bit);
}

bool CollectSwitch::has_all_periods_one() const noexcept {
  return std::ranges::all_of(periods_, [](const Word& period) { return period.load() == everything; });
}

bool CollectState::is_complete_for(std::uint8_t kind) const noexcept {
  if (!by_program || has_more) return false;
  const auto is_of_kind = [kind](const Exception& exception) { return exception.of.kind == kind; };
  const auto found = std::ranges::find_if(exceptions, is_of_kind);
  if (found == exceptions.end()) return period == CollectSwitch::everything;
  return found->of.event_class == EventClasses::all_classes && found->period == CollectSwitch::everything;
}

CollectState CollectSwitch::state() const {
  CollectState state;
  const std::uint32_t reduced = reduced_.load(std::memory_order_relaxed);
  if (reduced == 0) return state;
  state.by_program = (reduced & by_program_bit) == 0;
  const auto at = [this](std::size_t kind, std::size_t event_class) {
    return period_of(kind, event_class).load(std::memory_order_relaxed);
  };
  state.period = at(0, 0);
  const auto add = [&state](std::size_t kind, std::size_t event_class, std::uint32_t period) {
    if (period == state.period) return;
    state.has_more = state.exceptions.size() == CollectState::max_exceptions;
    if (state.has_more) return;
    state.exceptions.push_back(
        {{static_cast<std::uint8_t>(kind), static_cast<std::uint8_t>(event_class)}, period});
  };
  for (std::size_t kind = 1; kind < kinds && !state.has_more; ++kind) {
    bool is_uniform = true;
    for (std::size_t c = 1; c < classes; ++c) is_uniform = is_uniform && at(kind, c) == at(kind, 0);
    if (is_uniform) add(kind, EventClasses::all_classes, at(kind, 0));
    for (std::size_t c = 0; !is_uniform && c < classes; ++c) add(kind, c, at(kind, c));
  }
  return state;
}

}  // namespace eventspace
