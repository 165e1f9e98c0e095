#include "monitors/efficiency/unit_times.h"

#include <algorithm>

namespace eventspace::efficiency {

UnitTimes::State* UnitTimes::state_of(std::uint32_t unit) {
  const auto known = units_.find(unit);
  if (known != units_.end()) return &known->second;
  ++left_out_;  // a call or mark of a unit that was not begun
  return nullptr;
}

template <class Value>
Value* UnitTimes::cell_of(std::map<Key, Value>& cells, const Key& key) {
  if (cells.size() >= max_cells && !cells.contains(key)) {
    ++left_out_;
    return nullptr;
  }
  return &cells[key];
}

void UnitTimes::forget_ideal() {
  ideal_ = nullptr;
  for (auto& [key, part] : iterations_) part.ideal.reset();
}

void UnitTimes::begin(std::uint32_t unit, std::int64_t from_ns) {
  if (units_.contains(unit)) return;
  if (units_.size() >= max_units) {
    ++left_out_;
    return;
  }
  State& state = units_[unit];
  state.times = {.number = unit, .from_ns = from_ns, .to_ns = from_ns};
  state.busy_until_ns = from_ns;
}

void UnitTimes::extend(std::uint32_t unit, std::int64_t to_ns) {
  if (State* const state = state_of(unit)) state->times.to_ns = std::max(state->times.to_ns, to_ns);
}

void UnitTimes::add_call(std::uint32_t unit, std::int64_t begin_ns, std::int64_t end_ns) {
  State* const state = state_of(unit);
  if (state == nullptr || end_ns <= state->times.from_ns) return;
  ++state->times.calls;
  state->times.to_ns = std::max(state->times.to_ns, end_ns);
  const std::int64_t begin = std::max(begin_ns, state->busy_until_ns);
  if (end_ns <= begin) return;  // it is within another call
  state->busy_until_ns = end_ns;
  state->times.in_calls_ns += end_ns - begin;
  state->in_calls_since_mark_ns += end_ns - begin;
  if (every_ns_ > 0) add_to_spans(unit, begin, end_ns);
}

// Divides by rounding down also before the origin.
std::int64_t UnitTimes::span_of(std::int64_t ns) const noexcept {
  const std::int64_t since = ns - origin_ns_;
  return since / every_ns_ - (since % every_ns_ < 0 ? 1 : 0);
}

void UnitTimes::add_to_spans(std::uint32_t unit, std::int64_t begin_ns, std::int64_t end_ns) {
  while (begin_ns < end_ns) {
    const std::int64_t span = span_of(begin_ns);
    const std::int64_t until = std::min(end_ns, origin_ns_ + (span + 1) * every_ns_);
    std::int64_t* const in_calls = cell_of(in_calls_, {span, unit});
    if (in_calls == nullptr) return;
    *in_calls += until - begin_ns;
    begin_ns = until;
  }
}

void UnitTimes::add_mark(std::uint32_t unit, std::int64_t at_ns, std::uint64_t iteration) {
  State* const state = state_of(unit);
  if (state == nullptr || at_ns < state->times.from_ns) return;
  state->times.to_ns = std::max(state->times.to_ns, at_ns);
  const std::int64_t in_calls = std::exchange(state->in_calls_since_mark_ns, 0);
  const auto before = std::exchange(state->mark_ns, at_ns);
  if (!before || at_ns <= *before) return;
  Part* const part = cell_of(iterations_, {static_cast<std::int64_t>(iteration), unit});
  if (part == nullptr) return;
  part->unit = unit;
  const bool is_first = part->length == 0;
  const auto ideal = ideal_ ? ideal_(unit, *before, at_ns) : std::nullopt;
  const bool is_known = ideal && (is_first || part->ideal);
  part->ideal = is_known ? std::optional(part->ideal.value_or(0) + *ideal) : std::nullopt;
  part->length += static_cast<double>(at_ns - *before);
  part->useful += static_cast<double>(std::max<std::int64_t>(at_ns - *before - in_calls, 0));
}

std::vector<UnitTimes::Unit> UnitTimes::units() const {
  std::vector<Unit> all;
  for (const auto& [number, state] : units_) all.push_back(state.times);
  return all;
}

std::vector<UnitTimes::Cell> UnitTimes::spans() const {
  if (every_ns_ <= 0) return {};
  std::map<std::int64_t, Cell> cells;
  std::size_t parts = 0;
  for (const auto& [number, state] : units_) {
    const Unit& unit = state.times;
    for (std::int64_t from = unit.from_ns; from < unit.to_ns && parts < max_cells; ++parts) {
      const std::int64_t span = span_of(from);
      const std::int64_t to = std::min(unit.to_ns, origin_ns_ + (span + 1) * every_ns_);
      const auto in_calls = in_calls_.find({span, number});
      const std::int64_t calls = in_calls == in_calls_.end() ? 0 : in_calls->second;
      Part part{.unit = number,
                .length = static_cast<double>(to - from),
                .useful = static_cast<double>(std::max<std::int64_t>(to - from - calls, 0))};
      if (ideal_) part.ideal = ideal_(number, from, to);
      Cell& cell = cells[span];
      cell.number = span;
      cell.parts.push_back(part);
      from = to;
    }
  }
  std::vector<Cell> all;
  for (auto& [span, cell] : cells) all.push_back(std::move(cell));
  return all;
}

std::vector<UnitTimes::Cell> UnitTimes::iterations() const {
  std::vector<Cell> all;
  for (const auto& [key, part] : iterations_) {
    if (all.empty() || all.back().number != key.first) all.push_back({.number = key.first});
    all.back().parts.push_back(part);
  }
  return all;
}

IntervalTimes interval_of(const UnitTimes::Cell& cell) {
  IntervalTimes times;
  double ideal = 0;
  bool is_known = !cell.parts.empty();
  for (const UnitTimes::Part& part : cell.parts) {
    times.length = std::max(times.length, part.length);
    times.useful.push_back(part.useful);
    is_known = is_known && part.ideal.has_value();
    ideal = std::max(ideal, part.ideal.value_or(0));
  }
  times.ideal = is_known ? Range{ideal, ideal} : Range{0, times.length};
  return times;
}

}  // namespace eventspace::efficiency
