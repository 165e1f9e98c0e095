#include "monitors/efficiency/efficiency_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <variant>

#include "monitors/moments/moment.h"
#include "monitors/text/counted.h"
#include "monitors/text/text_format.h"

namespace eventspace::efficiency {
namespace {

// Useful times are measured on the clock of one process each, which drifts.
double clock_drift(double ns) { return ns * same_clock_ppm / 1e6; }

std::string_view was(std::uint64_t count) { return count == 1 ? "was" : "were"; }

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

/// Whether the time that communication takes is less than the error of the clocks.
bool is_indistinguishable(const EfficiencyReport& report, const Factors& factors) {
  const auto& error = report.confidence.clock_error_ns;
  if (report.whole.units < 2) return false;
  return !error || 2 * static_cast<double>(*error) >= report.whole.times.length * (1 - factors.communication);
}

Limit limit_of(const EfficiencyReport& report, const Factors& factors) {
  if (report.confidence.thinned > 0) return Limit::unknown;
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

// Without a simulation, the time in calls is not divided into waiting and transfer.
std::string transfer_text(const SiteRow& site, bool is_simulated) {
  if (is_simulated)
    return fmt::format("{} of transfer in {}", duration_of_ns(site.transfer.value_or(0)), site.name);
  const std::string time = fmt::format("{} in {}", duration_of_ns(site.time), site.name);
  if (!site.transfer) return time;
  return fmt::format("{}, at most {} of it transfer", time, duration_of_ns(*site.transfer));
}

void blame_for_transfer(const EfficiencyReport& report, Answer& answer) {
  if (report.sites.empty()) return;
  const SiteRow& site = report.sites.front();
  const double cost = site.transfer.value_or(site.time);
  if (cost <= 0) return;
  answer.by = site.name;
  answer.cost_ns = cost;
  answer.text += ": " + transfer_text(site, report.confidence.is_simulated);
}

std::string incomplete_processes(const Confidence& of) {
  return fmt::format("{} did not record all calls", counted(of.thinned, "process"));
}

void blame(const EfficiencyReport& report, const Factors& factors, Answer& answer) {
  if (answer.limit != Limit::nothing && answer.limit != Limit::unknown) answer.text += "limited by ";
  switch (answer.limit) {
    case Limit::nothing:
      answer.text += "nothing limits it by more than 5 %";
      return;
    case Limit::load_balance:
      return blame_for_load(report, factors, answer);
    case Limit::serialisation:
      return blame_for_serialisation(report, factors, answer);
    case Limit::transfer:
      answer.text += fmt::format("transfer ({})", range_text(factors.transfer));
      return blame_for_transfer(report, answer);
    case Limit::communication:
      answer.text +=
          fmt::format("communication ({}, as serialisation or transfer)", percent(factors.communication));
      return blame_for_transfer(report, answer);
    case Limit::indistinguishable:
      answer.text +=
          fmt::format("communication ({}), which the error of the clocks may be as well: no thread is named",
                      percent(factors.communication));
      return;
    case Limit::unknown:
      answer.text += incomplete_processes(report.confidence);
      return;
  }
}

std::string source_of_ideal(const Confidence& of) {
  if (of.is_simulated && of.why_not.empty())
    return "serialisation and transfer: the recorded program was simulated on an ideal network";
  if (of.is_simulated)
    return fmt::format(
        "serialisation and transfer are bounds: the simulation on an ideal network covers only a part ({})",
        of.why_not);
  return fmt::format(
      "serialisation and transfer are bounds, from the useful times and the collective operations; {} may "
      "have waited for others that are not known{}",
      counted(of.unknown_waits, "call"),
      of.why_not.empty() ? "" : fmt::format(" (not simulated: {})", of.why_not));
}

}  // namespace

std::string range_text(const Range& range) {
  const std::string least = percent(range.least);
  const std::string most = percent(range.most);
  if (least == most) return most;
  return fmt::format("{:.0f} to {}", 100 * range.least, most);
}

std::string_view to_string(Limit limit) noexcept {
  constexpr std::array<std::string_view, 7> words{"nothing",  "load_balance",  "serialisation",
                                                  "transfer", "communication", "indistinguishable",
                                                  "unknown"};
  return words.at(static_cast<std::size_t>(limit));
}

Answer answer_of(const EfficiencyReport& report) {
  const auto& factors = std::get<Factors>(report.whole.factors);
  Answer answer{.limit = limit_of(report, factors)};
  answer.text = fmt::format("parallel efficiency {}{}{}: ", answer.limit == Limit::unknown ? "at most " : "",
                            percent(factors.parallel), report.whole.units == 1 ? " of a single thread" : "");
  blame(report, factors, answer);
  return answer;
}

std::vector<std::string> confidence_of(const EfficiencyReport& report) {
  const Confidence& of = report.confidence;
  std::vector<std::string> lines;
  if (report.calls == 0) lines.emplace_back("no communication was recorded: all time counts as useful");
  if (report.calls > 0) lines.push_back(source_of_ideal(of));
  if (of.thinned > 0)
    lines.push_back(
        incomplete_processes(of) +
        " at times (switch, --budget): the time of the others counts as useful, so the efficiencies "
        "are lower, and what limits them is not known");
  if (const std::uint64_t lost = std::max(of.lost, of.gap_records); lost > 0)
    lines.push_back(
        fmt::format("{} {} lost; {} of thread time without records counts as useful, so the parallel "
                    "efficiency may be lower",
                    counted(lost, "record"), was(lost), duration_of_ns(of.gap_ns)));
  if (of.restarts > 0)
    lines.push_back(fmt::format("{} started again: the time between two runs counts as useful",
                                of.restarts == 1 ? "a process was" : "processes were"));
  if (!of.clock_error_ns)
    lines.emplace_back("the clocks of the nodes cannot be compared: lengths of intervals are uncertain");
  else if (*of.clock_error_ns > 0)
    lines.push_back(fmt::format("times of different nodes are compared with an error of up to {}",
                                duration_of_ns(static_cast<double>(*of.clock_error_ns))));
  if (of.left_out > 0)
    lines.push_back(fmt::format("{} {} left out, because a table is full", counted(of.left_out, "value"),
                                was(of.left_out)));
  lines.insert(lines.end(), of.notes.begin(), of.notes.end());
  return lines;
}

}  // namespace eventspace::efficiency
