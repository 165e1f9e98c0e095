#include "monitors/efficiency/region_times.h"

#include <algorithm>

#include "monitors/profile/profiled_events.h"

namespace eventspace::efficiency {

void RegionTimes::add_ideal(const RecordHeader& region, std::uint32_t probe, std::uint32_t process) {
  ProcessReport nanoseconds;  // its clock has ticks of a nanosecond
  nanoseconds.process = process;
  ideal_.add_region(region, probe, nanoseconds);
}

void RegionTimes::add_call(std::span<const TraceTuple> event, const RecordHeader& header,
                           const ProcessReport& process) {
  const TraceTuple& record = event.back();
  const auto call = recorded_.add(
      {header, ProfiledEvents::calls_in(record), ProfiledEvents::phase_begun_by(record)}, process);
  if (call) recorded_.assign(header.thread, *call);
}

void RegionTimes::settle() {
  recorded_.settle();
  ideal_.settle();
}

RegionTimes::IdealTimes RegionTimes::ideal_times(const UnitTimes& times, const IdealOfUnit& ideal) const {
  IdealTimes all;
  std::map<std::uint32_t, double> inside;
  for (const PhaseTimes::Thread& row : ideal_.phases()) {
    if (row.phase == "-" || without_ideal_.contains(row.number)) continue;
    const auto span = static_cast<double>(row.span.count());
    all[{row.phase, row.number}] = span;
    inside[row.number] += span;
  }
  for (const UnitTimes::Unit& unit : times.units()) {
    if (!inside.contains(unit.number)) continue;
    if (const auto whole = ideal(unit)) all[{"-", unit.number}] = std::max(*whole - inside[unit.number], 0.0);
  }
  return all;
}

std::vector<RegionTimes::Region> RegionTimes::regions(const UnitTimes& times,
                                                      const IdealOfUnit& ideal) const {
  const IdealTimes ideals = ideal_times(times, ideal);
  std::map<std::string, Region> regions;
  for (const PhaseTimes::Thread& row : recorded_.phases()) {
    if (!times.has(row.number)) continue;
    UnitTimes::Part part{.unit = row.number,
                         .length = static_cast<double>(row.span.count()),
                         .useful = static_cast<double>(row.compute().count())};
    const auto known = ideals.find({row.phase, row.number});
    if (known != ideals.end()) part.ideal = known->second;
    regions[row.phase].cell.parts.push_back(part);
  }
  std::vector<Region> all;
  for (auto& [name, region] : regions) {
    region.name = name;
    all.push_back(std::move(region));
  }
  return all;
}

}  // namespace eventspace::efficiency
