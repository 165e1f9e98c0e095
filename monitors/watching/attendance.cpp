#include "monitors/watching/attendance.h"

#include <algorithm>
#include <iterator>

#include "monitors/watching/under_way_numbers.h"

namespace eventspace {

Attendance::Attendance(const Plan& plan, const std::set<TraceIndex>& traces)
    : participants_(plan.collectives.size()) {
  const auto is_read = [&](PathIndex path) {
    return std::ranges::any_of(plan.paths[path].traces,
                               [&](TraceIndex trace) { return traces.contains(trace); });
  };
  for (const CollectiveIndex collective : plan.collectives.indices()) {
    for (const PathIndex path : plan.collectives[collective].participants) {
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
    const auto found = places_.find(PathIndex(record.path));
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
  const auto found = places_.find(PathIndex(path));
  if (found == places_.end() || !found->second.is_in_flight) return std::nullopt;
  return Operation{found->second.collective, found->second.number()};
}

bool Attendance::has_come(PathIndex path, const Operation& operation) const {
  const Place& place = places_.at(path);
  const bool has_ended_it = operation.number && place.ended >= *operation.number;
  const auto number = place.number();
  const bool is_behind = operation.number && number && *number < *operation.number;
  return has_ended_it || (place.is_in_flight && !is_behind);
}

std::vector<PathIndex> Attendance::absent_from(const Operation& operation) const {
  std::vector<PathIndex> absent;
  std::ranges::copy_if(participants_[operation.collective], std::back_inserter(absent),
                       [&](PathIndex path) { return !has_come(path, operation); });
  return absent;
}

}  // namespace eventspace
