#include "monitors/efficiency/efficiency_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>

#include "monitors/text/counted.h"

namespace eventspace::efficiency {
namespace {

double mean_of(const std::vector<double>& values) {
  return values.empty()
             ? 0
             : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::size_t without_task(const std::vector<UnitTimes::Unit>& units, const ObservedUnits& observed) {
  return static_cast<std::size_t>(std::ranges::count_if(
      units, [&](const UnitTimes::Unit& unit) { return !observed.task_of(unit.number); }));
}

// The run that is known only up to some time takes at least its known part on an ideal network, and at most
// as long as recorded from then on. When it is observed from its middle on, units may be apart on the ideal
// network that were together in the run. The distance is not part of the interval: from together, they would
// need at least the time from the last begin to the last end, and at most that from the first begin. If a
// unit was not simulated, the others may wait for it all the time.
Range ideal_of(const std::vector<UnitTimes::Unit>& units, const ObservedUnits& observed,
               const IdealRun& ideal, const IdealRun::Interval& interval) {
  const std::int64_t end_ns = interval.end_ns;
  const std::int64_t until = ideal.known_until() ? std::min(*ideal.known_until(), end_ns) : end_ns;
  std::vector<double> begins;
  double end = std::numeric_limits<double>::lowest();
  for (const UnitTimes::Unit& unit : units) {
    const auto task = observed.task_of(unit.number);
    if (!task) continue;
    begins.push_back(ideal.ideal_at(*task, unit.from_ns));
    end = std::max(end, ideal.ideal_at(*task, std::max(std::min(unit.to_ns, until), unit.from_ns)));
  }
  const auto recorded = static_cast<double>(end_ns - interval.begin_ns);
  if (begins.empty()) return {0, recorded};
  const double whole = end - *std::ranges::min_element(begins);
  const double from_last = end - *std::ranges::max_element(begins);
  return {observed.is_from_begin() ? whole : from_last,
          begins.size() == units.size() ? whole + static_cast<double>(end_ns - until) : recorded};
}

// Units that ended before the observation began are not part of it.
std::vector<UnitTimes::Unit> present_units(const ObservedUnits& observed) {
  auto units = observed.times().units();
  std::erase_if(units, [](const UnitTimes::Unit& unit) { return unit.length() == 0; });
  return units;
}

IdealRun::Interval interval_of(const std::vector<UnitTimes::Unit>& units) {
  if (units.empty()) return {};
  IdealRun::Interval interval{units.front().from_ns, units.front().to_ns};
  for (const UnitTimes::Unit& unit : units) {
    interval.begin_ns = std::min(interval.begin_ns, unit.from_ns);
    interval.end_ns = std::max(interval.end_ns, unit.to_ns);
  }
  return interval;
}

IntervalRow whole_of(const ObservedUnits& observed, const IdealRun* ideal) {
  IntervalRow row;
  const auto units = present_units(observed);
  row.units = units.size();
  if (units.empty()) {
    if (!observed.times().units().empty()) row.factors = NoFactors::no_length;
    return row;
  }
  const IdealRun::Interval interval = interval_of(units);
  for (const UnitTimes::Unit& unit : units) row.times.useful.push_back(static_cast<double>(unit.useful()));
  row.times.length = static_cast<double>(interval.end_ns - interval.begin_ns);
  row.times.ideal =
      ideal == nullptr ? observed.clocks().ideal() : ideal_of(units, observed, *ideal, interval);
  if (observed.processes().thinned() > 0) row.times.ideal = {0, row.times.length};
  row.factors = factors_of(row.times);
  return row;
}

IntervalRow row_of(std::string name, const UnitTimes::Cell& cell) {
  IntervalRow row{.name = std::move(name), .units = cell.parts.size(), .times = interval_of(cell)};
  row.factors = factors_of(row.times);
  return row;
}

std::vector<IntervalRow> parts_of(const ObservedUnits& observed, By by, std::int64_t every_ns) {
  std::vector<IntervalRow> rows;
  switch (by) {
    case By::none:
      break;
    case By::region:
      for (const auto& region : observed.regions()) rows.push_back(row_of(region.name, region.cell));
      std::ranges::stable_sort(rows, std::greater(), [](const IntervalRow& row) { return row.times.length; });
      break;
    case By::iteration:
      for (const auto& cell : observed.times().iterations())
        rows.push_back(row_of(std::to_string(cell.number), cell));
      break;
    case By::time:
      for (const auto& cell : observed.times().spans()) {
        rows.push_back(row_of("", cell));
        rows.back().begin_s = static_cast<double>(cell.number) * static_cast<double>(every_ns) / 1e9;
      }
      break;
  }
  return rows;
}

std::vector<UnitRow> units_of(const ObservedUnits& observed, const IdealRun* ideal, double mean) {
  std::vector<UnitRow> rows;
  const auto units = present_units(observed);
  const auto ideal_waits =
      ideal == nullptr ? std::vector<IdealRun::Waited>() : ideal->waits(interval_of(units));
  for (const UnitTimes::Unit& unit : units) {
    UnitRow row{.name = observed.name_of(unit.number),
                .useful = static_cast<double>(unit.useful()),
                .in_calls = static_cast<double>(unit.in_calls_ns)};
    row.deviation = row.useful - mean;
    const auto waits = observed.clocks().waits().find(unit.number);
    if (const auto task = observed.task_of(unit.number); task && ideal != nullptr) {
      row.waited = ideal_waits[*task].waited_ns;
      row.caused = ideal_waits[*task].caused_ns;
    } else if (ideal == nullptr && waits != observed.clocks().waits().end()) {
      row.waited = waits->second.waited;
      row.caused = waits->second.caused;
    }
    rows.push_back(std::move(row));
  }
  std::ranges::stable_sort(rows, std::greater(), [](const UnitRow& row) { return std::abs(row.deviation); });
  return rows;
}

std::vector<SiteRow> sites_of(const ObservedUnits& observed, const IdealRun* ideal) {
  std::vector<SiteRow> rows;
  if (ideal != nullptr) {
    for (const IdealRun::Site& site : ideal->sites(interval_of(present_units(observed))))
      rows.push_back({site.name, site.calls, site.transfer_ns + site.serialisation_ns, site.transfer_ns,
                      site.serialisation_ns});
    return rows;
  }
  for (const CallSites::Site& site : observed.sites())
    rows.push_back({site.name, site.calls, site.time_ns, site.transfer_ns});
  return rows;
}

std::optional<WorstRegion> worst_region_of(const ObservedUnits& observed) {
  std::optional<WorstRegion> worst;
  for (const auto& region : observed.regions()) {
    if (region.name == "-" || region.cell.parts.size() < 2) continue;
    const auto most = std::ranges::max_element(region.cell.parts, {}, &UnitTimes::Part::useful);
    const double excess = most->useful - mean_of(interval_of(region.cell).useful);
    if (excess > 0 && (!worst || excess > worst->excess))
      worst = WorstRegion{region.name, observed.name_of(most->unit), excess};
  }
  return worst;
}

Confidence confidence_in(const ObservedUnits& observed, const IdealRun* ideal) {
  Confidence confidence{.is_simulated = ideal != nullptr};
  confidence.gap_records = observed.gaps().records();
  confidence.gap_ns = static_cast<double>(observed.gaps().time_ns());
  confidence.clock_error_ns = observed.processes().clock_error_ns();
  confidence.restarts = observed.processes().restarts();
  confidence.left_out = observed.left_out();
  confidence.thinned = observed.processes().thinned();
  confidence.unknown_waits = observed.clocks().unknown_waits() + observed.clocks().given_up();
  if (ideal == nullptr) return confidence;
  confidence.why_not = ideal->known_until() ? ideal->why_not_known() : "";
  confidence.notes = ideal->notes();
  if (const std::size_t missing = without_task(present_units(observed), observed))
    confidence.notes.push_back(
        fmt::format("{} {} not part of the simulation, so serialisation and transfer are bounds",
                    counted(missing, "thread"), missing == 1 ? "is" : "are"));
  return confidence;
}

}  // namespace

EfficiencyReport report_efficiency(const ObservedUnits& observed, const IdealRun* ideal, By by,
                                   std::int64_t every_ns) {
  if (observed.processes().thinned() > 0) ideal = nullptr;  // the calls that it lacks would be computing
  EfficiencyReport report{.whole = whole_of(observed, ideal), .by = by};
  report.parts = parts_of(observed, by, every_ns);
  report.units = units_of(observed, ideal, mean_of(report.whole.times.useful));
  report.sites = sites_of(observed, ideal);
  report.worst_region = worst_region_of(observed);
  report.calls = observed.calls();
  report.confidence = confidence_in(observed, ideal);
  return report;
}

}  // namespace eventspace::efficiency
