#include "monitors/watching/attendance.h"

#include <algorithm>
#include <iterator>

#include "monitors/watching/under_way_numbers.h"

namespace eventspace {

Attendance::Attendance(const Plan& plan, const std::set<std::size_t>& traces)
    : participants_(plan.collectives.size()) {
  const auto is_read = [&](std::size_t path) {
    return std::ranges::any_of(plan.paths[path].traces,
                               [&](std::size_t trace) { return traces.contains(trace); });
  };
  for (std::size_t collective = 0; collective < plan.collectives.size(); ++collective) {
    for (const std::size_t path : plan.collectives[collective].participants) {
      if (!is_read(path)) continue;
      places_.emplace(path, Place{collective});
      participants_[collective].push_back(path);
    }
  }
  for (const JointPlan& joint : plan.joints) {
    if (joint.uplink && is_read(*joint.uplink)) places_.emplace(*joint.uplink, Place{joint.collective});
  }
}

void Attendance::observe(const View& newest) {
  for (auto& [path, place] : places_) place = Place{place.collective};
  const UnderWayNumbers numbers(newest);
  for (const TraceTuple& tuple : newest.records) {
    const EventRecord record = decode(tuple);
    const auto found = places_.find(record.path);
    if (found == places_.end()) continue;
    Place& place = found->second;
    if (record.in_flight()) {
      place.is_in_flight = true;
      place.in_flight = std::max(place.in_flight, numbers.of(record));
    } else if (record.status == Status::ok) {
      place.ended = std::max(place.ended, record.parameter);
    } else {
      place.has_failed = true;
    }
  }
}

std::optional<Attendance::Operation> Attendance::operation_on(std::uint32_t path) const {
  const auto found = places_.find(path);
  if (found == places_.end() || !found->second.is_in_flight) return std::nullopt;
  return Operation{found->second.collective, found->second.number()};
}

bool Attendance::has_come(std::size_t path, const Operation& operation) const {
  const Place& place = places_.at(path);
  const bool has_ended_it = operation.number && place.ended >= *operation.number;
  const auto number = place.number();
  const bool is_behind = operation.number && number && *number < *operation.number;
  return has_ended_it || (place.is_in_flight && !is_behind);
}

std::vector<std::size_t> Attendance::absent_from(const Operation& operation) const {
  std::vector<std::size_t> absent;
  std::ranges::copy_if(participants_[operation.collective], std::back_inserter(absent),
                       [&](std::size_t path) { return !has_come(path, operation); });
  return absent;
}

}  // namespace eventspace
