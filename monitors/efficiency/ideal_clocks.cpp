#include "monitors/efficiency/ideal_clocks.h"

#include <algorithm>
#include <limits>

namespace eventspace::efficiency {

void IdealClocks::begin(std::uint32_t unit, std::int64_t from_ns) {
  const auto from = static_cast<double>(from_ns);
  units_.try_emplace(unit, Unit{.from_ns = from_ns, .at_ns = from_ns, .least = from, .most = from});
}

void IdealClocks::add(const Call& call) {
  const auto unit = units_.find(call.unit);
  if (unit == units_.end() || call.end_ns <= unit->second.from_ns) return;
  unit->second.kept.push_back(call);
  ++kept_;
  run(call.unit);
  while (kept_ > limits_.kept && give_up_first(std::numeric_limits<std::int64_t>::max())) {
  }
}

void IdealClocks::give_up(std::int64_t before_ns) {
  while (give_up_first(before_ns)) {
  }
}

void IdealClocks::finish(const std::map<std::uint32_t, std::int64_t>& to_ns) {
  give_up(std::numeric_limits<std::int64_t>::max());
  for (const auto& [number, to] : to_ns) {
    const auto unit = units_.find(number);
    if (unit != units_.end()) pass(unit->second, to);
  }
}

Range IdealClocks::ideal() const {
  if (units_.empty()) return {};
  auto from = static_cast<double>(units_.begin()->second.from_ns);
  Range end{from, from};
  for (const auto& [number, unit] : units_) {
    from = std::min(from, static_cast<double>(unit.from_ns));
    end.least = std::max(end.least, unit.least);
    end.most = std::max(end.most, unit.most);
  }
  return {end.least - from, end.most - from};
}

// Processes the kept calls of `first`, and of the units that this lets continue.
void IdealClocks::run(std::uint32_t first) {
  std::vector<std::uint32_t> woken{first};
  while (!woken.empty()) {
    const std::uint32_t number = woken.back();
    woken.pop_back();
    Unit& unit = units_.at(number);
    while (!unit.kept.empty() && advance(number, unit, woken)) {
    }
  }
}

// The time up to then is useful.
void IdealClocks::pass(Unit& unit, std::int64_t until_ns) {
  if (until_ns <= unit.at_ns) return;
  const auto useful = static_cast<double>(until_ns - unit.at_ns);
  unit.at_ns = until_ns;
  unit.least += useful;
  unit.most = std::min(unit.most + useful, static_cast<double>(until_ns));
}

bool IdealClocks::advance(std::uint32_t number, Unit& unit, std::vector<std::uint32_t>& woken) {
  Call call = unit.kept.front();
  if (!unit.has_come) {
    pass(unit, call.begin_ns);
    const bool is_operation = call.waits == Waits::for_all || call.waits == Waits::some;
    if (is_operation && !come(number, unit, call, woken)) call.waits = Waits::unknown;
  }
  if (unit.has_come && !meetings_.at(call.operation).is_complete) return false;
  leave(unit, call);
  return true;
}

// Returns whether the call belongs to the operation.
bool IdealClocks::come(std::uint32_t number, Unit& unit, const Call& call,
                       std::vector<std::uint32_t>& woken) {
  Meeting& meeting = meetings_[call.operation];
  if (meeting.is_complete || meeting.arrivals.contains(number)) return false;
  unit.has_come = true;
  const bool is_first = meeting.arrivals.empty();
  meeting.members = std::max(meeting.members, call.members);
  meeting.least = is_first ? unit.least : std::max(meeting.least, unit.least);
  meeting.most = is_first ? unit.most : std::max(meeting.most, unit.most);
  meeting.arrivals.emplace(number, unit.least);
  if (meeting.arrivals.size() < meeting.members) return true;
  meeting.is_complete = true;
  if (call.waits == Waits::for_all) count_waits(meeting.arrivals);
  for (const auto& [other, least] : meeting.arrivals)
    if (other != number) woken.push_back(other);
  return true;
}

void IdealClocks::leave(Unit& unit, const Call& call) {
  const auto recorded = static_cast<double>(std::max(call.end_ns, unit.at_ns));
  switch (call.waits) {
    case Waits::never:
      break;
    case Waits::unknown:
      ++unknown_;
      unit.most = recorded;
      break;
    case Waits::for_all:
    case Waits::some:
      leave_operation(unit, call, recorded);
      break;
  }
  unit.least = std::min(unit.least, unit.most);
  unit.at_ns = std::max(unit.at_ns, call.end_ns);
  unit.has_come = false;
  unit.kept.pop_front();
  --kept_;
}

// An operation that has been given up is forgotten when all that have come have left, so each one that is
// remembered has a waiting unit.
void IdealClocks::leave_operation(Unit& unit, const Call& call, double recorded) {
  const auto place = meetings_.find(call.operation);
  Meeting& meeting = place->second;
  if (call.waits == Waits::for_all) unit.least = std::max(unit.least, meeting.least);
  unit.most = meeting.is_complete ? std::min(std::max(unit.most, meeting.most), recorded) : recorded;
  if (++meeting.left >= meeting.arrivals.size()) meetings_.erase(place);
}

void IdealClocks::count_waits(const Arrivals& arrivals) {
  const auto last = std::ranges::max_element(arrivals, {}, &Arrivals::value_type::second);
  double sum = 0;
  for (const auto& [unit, least] : arrivals) {
    waits_[unit].waited += last->second - least;
    sum += last->second - least;
  }
  waits_[last->first].caused += sum;
}

// The operation that ended first is the cause of other waits rather than their effect.
bool IdealClocks::give_up_first(std::int64_t before_ns) {
  auto first = units_.end();
  for (auto unit = units_.begin(); unit != units_.end(); ++unit) {
    if (unit->second.kept.empty()) continue;
    if (first == units_.end() || unit->second.kept.front().end_ns < first->second.kept.front().end_ns)
      first = unit;
  }
  if (first == units_.end() || first->second.kept.front().end_ns >= before_ns) return false;
  ++given_up_;
  Unit& unit = first->second;
  const Call call = unit.kept.front();
  leave(unit, call);
  run(first->first);
  return true;
}

}  // namespace eventspace::efficiency
