#include "monitors/efficiency/efficiency_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "monitors/moments/moment.h"
#include "monitors/text/counted.h"
#include "monitors/text/text_format.h"

namespace eventspace::efficiency {
namespace {

// Useful times are measured on the clock of one process each, which drifts.
double clock_drift(double ns) { return ns * same_clock_ppm / 1e6; }

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

double mean_of(const std::vector<double>& values) {
  return values.empty()
             ? 0
             : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The run that is known only up to some time takes at least its known part on an ideal network, and at most
// as long as recorded from then on.
Range ideal_of(const std::vector<UnitTimes::Unit>& units, const ObservedUnits& observed,
               const IdealRun& ideal, std::int64_t end_ns) {
  const std::int64_t until = ideal.known_until() ? std::min(*ideal.known_until(), end_ns) : end_ns;
  double begin = 0;
  double end = 0;
  bool is_first = true;
  for (const UnitTimes::Unit& unit : units) {
    const auto task = observed.task_of(unit.number);
    if (!task) continue;
    const double from = ideal.ideal_at(*task, unit.from_ns);
    const double to = ideal.ideal_at(*task, std::max(std::min(unit.to_ns, until), unit.from_ns));
    begin = is_first ? from : std::min(begin, from);
    end = is_first ? to : std::max(end, to);
    is_first = false;
  }
  return {end - begin, end - begin + static_cast<double>(end_ns - until)};
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
      ideal == nullptr ? observed.clocks().ideal() : ideal_of(units, observed, *ideal, interval.end_ns);
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
    if (const auto task = observed.task_of(unit.number)) {
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
      rows.push_back({site.name, site.calls, site.transfer_ns, site.serialisation_ns});
    return rows;
  }
  for (const CallSites::Site& site : observed.sites())
    rows.push_back({site.name, site.calls, site.transfer_ns});
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
  confidence.left_out = observed.left_out();
  confidence.unknown_waits = observed.clocks().unknown_waits() + observed.clocks().given_up();
  if (ideal == nullptr) return confidence;
  confidence.why_not = ideal->known_until() ? ideal->why_not_known() : "";
  confidence.notes = ideal->notes();
  return confidence;
}

// --- the answer
// ---------------------------------------------------------------------------------------------

/// Whether the time that communication takes is less than the error of the clocks.
bool is_indistinguishable(const EfficiencyReport& report, const Factors& factors) {
  const auto& error = report.confidence.clock_error_ns;
  if (report.whole.units < 2) return false;
  return !error || 2 * static_cast<double>(*error) >= report.whole.times.length * (1 - factors.communication);
}

Limit limit_of(const EfficiencyReport& report, const Factors& factors) {
  const double communication = factors.communication;
  if (factors.load_balance >= good_enough && communication >= good_enough) return Limit::nothing;
  if (is_indistinguishable(report, factors) && communication < factors.load_balance)
    return Limit::indistinguishable;
  const Range& serialisation = factors.serialisation;
  const Range& transfer = factors.transfer;
  if (serialisation.most <= transfer.least)
    return serialisation.middle() < factors.load_balance ? Limit::serialisation : Limit::load_balance;
  if (transfer.most <= serialisation.least)
    return transfer.middle() < factors.load_balance ? Limit::transfer : Limit::load_balance;
  return communication < factors.load_balance ? Limit::communication : Limit::load_balance;
}

void blame_for_load(const EfficiencyReport& report, const Factors& factors, Answer& answer) {
  answer.text += fmt::format("load balance ({})", percent(factors.load_balance));
  const auto most = std::ranges::max_element(report.units, {}, &UnitRow::useful);
  if (most == report.units.end() || most->deviation <= clock_drift(report.whole.times.length)) return;
  answer.by = most->name;
  answer.cost_ns = most->deviation;
  answer.text +=
      fmt::format(": {} computes {} longer than the mean", most->name, duration_of_ns(most->deviation));
  if (report.worst_region && report.worst_region->unit == most->name &&
      report.worst_region->excess >= most->deviation / 2)
    answer.text += fmt::format(", most of it in region {}", report.worst_region->region);
}

void blame_for_serialisation(const EfficiencyReport& report, const Factors& factors, Answer& answer) {
  answer.text += fmt::format("serialisation ({})", range_text(factors.serialisation));
  const auto most = std::ranges::max_element(report.units, {}, &UnitRow::caused);
  if (most == report.units.end()) return;
  const double error = static_cast<double>(report.confidence.clock_error_ns.value_or(0)) *
                       static_cast<double>(report.units.size());
  if (most->caused <= error + clock_drift(report.whole.times.length)) return;
  answer.by = most->name;
  answer.cost_ns = most->caused;
  answer.text += fmt::format(": the others wait {} for {}", duration_of_ns(most->caused), most->name);
}

void blame_for_transfer(const EfficiencyReport& report, Answer& answer) {
  if (report.sites.empty() || report.sites.front().transfer <= 0) return;
  const SiteRow& site = report.sites.front();
  answer.by = site.name;
  answer.cost_ns = site.transfer;
  answer.text += fmt::format(": {} of transfer in {}", duration_of_ns(site.transfer), site.name);
}

}  // namespace

std::string range_text(const Range& range) {
  const std::string least = percent(range.least);
  const std::string most = percent(range.most);
  if (least == most) return most;
  return fmt::format("{:.0f} to {}", 100 * range.least, most);
}

std::string_view to_string(Limit limit) noexcept {
  constexpr std::array<std::string_view, 6> words{"nothing",  "load_balance",  "serialisation",
                                                  "transfer", "communication", "indistinguishable"};
  return words.at(static_cast<std::size_t>(limit));
}

EfficiencyReport report_efficiency(const ObservedUnits& observed, const IdealRun* ideal, By by,
                                   std::int64_t every_ns) {
  EfficiencyReport report{.whole = whole_of(observed, ideal), .by = by};
  report.parts = parts_of(observed, by, every_ns);
  report.units = units_of(observed, ideal, mean_of(report.whole.times.useful));
  report.sites = sites_of(observed, ideal);
  report.worst_region = worst_region_of(observed);
  report.calls = observed.calls();
  report.confidence = confidence_in(observed, ideal);
  return report;
}

Answer answer_of(const EfficiencyReport& report) {
  const auto& factors = std::get<Factors>(report.whole.factors);
  Answer answer{.limit = limit_of(report, factors)};
  answer.text = fmt::format("parallel efficiency {}", percent(factors.parallel));
  if (report.whole.units == 1) answer.text += " of a single thread";
  answer.text += answer.limit == Limit::nothing ? ": nothing limits it by more than 5 %" : ": limited by ";
  switch (answer.limit) {
    case Limit::nothing:
      break;
    case Limit::load_balance:
      blame_for_load(report, factors, answer);
      break;
    case Limit::serialisation:
      blame_for_serialisation(report, factors, answer);
      break;
    case Limit::transfer:
      answer.text += fmt::format("transfer ({})", range_text(factors.transfer));
      blame_for_transfer(report, answer);
      break;
    case Limit::communication:
      answer.text +=
          fmt::format("communication ({}, as serialisation or transfer)", percent(factors.communication));
      blame_for_transfer(report, answer);
      break;
    case Limit::indistinguishable:
      answer.text +=
          fmt::format("communication ({}), which the error of the clocks may be as well: no thread is named",
                      percent(factors.communication));
      break;
  }
  return answer;
}

std::vector<std::string> confidence_of(const EfficiencyReport& report) {
  const Confidence& of = report.confidence;
  std::vector<std::string> lines;
  if (report.calls == 0) lines.emplace_back("no communication was recorded: all time counts as useful");
  if (of.is_simulated && of.why_not.empty())
    lines.emplace_back("serialisation and transfer: the recorded program was simulated on an ideal network");
  else if (of.is_simulated)
    lines.push_back(
        fmt::format("serialisation and transfer are bounds: the simulation on an ideal network covers "
                    "only a part ({})",
                    of.why_not));
  else if (report.calls > 0)
    lines.push_back(
        fmt::format("serialisation and transfer are bounds, from the useful times and the collective "
                    "operations; {} may have waited for others that are not known{}",
                    counted(of.unknown_waits, "call"),
                    of.why_not.empty() ? "" : fmt::format(" (not simulated: {})", of.why_not)));
  if (of.lost > 0 || of.gap_records > 0)
    lines.push_back(
        fmt::format("{} were lost; {} of thread time without records counts as useful, so the parallel "
                    "efficiency may be lower",
                    counted(std::max(of.lost, of.gap_records), "record"), duration_of_ns(of.gap_ns)));
  if (!of.clock_error_ns)
    lines.emplace_back("the clocks of the nodes cannot be compared: lengths of intervals are uncertain");
  else if (*of.clock_error_ns > 0)
    lines.push_back(fmt::format("times of different nodes are compared with an error of up to {}",
                                duration_of_ns(static_cast<double>(*of.clock_error_ns))));
  if (of.left_out > 0)
    lines.push_back(fmt::format("{} were left out, because a table is full", counted(of.left_out, "value")));
  lines.insert(lines.end(), of.notes.begin(), of.notes.end());
  return lines;
}

}  // namespace eventspace::efficiency
