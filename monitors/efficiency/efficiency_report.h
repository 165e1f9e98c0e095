#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "monitors/efficiency/factors.h"
#include "monitors/efficiency/ideal_run.h"
#include "monitors/efficiency/observed_units.h"

namespace eventspace::efficiency {

/// The division of a run whose parts are reported beside the whole.
enum class By : std::uint8_t { none, region, iteration, time };

/// The efficiencies of one interval.
struct IntervalRow {
  std::string name;  ///< of the region, or the number of the iteration; empty for the whole run
  std::optional<double> begin_s{};  ///< of a span: since observation began
  std::size_t units{0};
  IntervalTimes times{};
  std::variant<Factors, NoFactors> factors{NoFactors::no_units};
};

/// A unit; times in nanoseconds.
struct UnitRow {
  std::string name;
  double useful{0};
  double deviation{0};  ///< of the useful time from the mean of all units
  double in_calls{0};
  double waited{0};  ///< for others, also on an ideal network
  double caused{0};  ///< such waits of others for this unit
};

/// Calls of one function at one place; times in nanoseconds.
struct SiteRow {
  std::string name;
  std::uint64_t calls{0};
  double time{0};
  std::optional<double> transfer{};       ///< estimated and at most, or nullopt, if the run was not simulated
  std::optional<double> serialisation{};  ///< nullopt if the run was not simulated
};

/// The region in which load is balanced worst, in nanoseconds.
struct WorstRegion {
  std::string region;
  std::string unit;
  double excess{0};  ///< by which the unit computes longer than the mean
};

/// How sure the answer is.
struct Confidence {
  bool is_simulated{false};  ///< the ideal time comes from a simulation
  std::string why_not{};     ///< why there was no simulation, or only one of a part; empty for a session
  std::uint64_t lost{0};     ///< events that are missing
  std::uint64_t gap_records{0};
  double gap_ns{0};  ///< of all units together, in which records are missing
  /// Bound of the error of times of different nodes; nullopt means unknown.
  std::optional<std::int64_t> clock_error_ns{0};
  std::uint64_t restarts{0};  ///< of processes during observation
  std::uint64_t left_out{0};
  std::size_t thinned{0};          ///< processes that did not record all calls
  std::uint64_t unknown_waits{0};  ///< calls that may have waited for units that are not known
  std::vector<std::string> notes{};
};

struct EfficiencyReport {
  IntervalRow whole{};
  By by{By::none};
  std::vector<IntervalRow> parts{};
  std::vector<UnitRow> units{};  ///< those that differ most from the mean first
  std::vector<SiteRow> sites{};  ///< most transfer first; most time first if the run was not simulated
  std::optional<WorstRegion> worst_region{};
  std::uint64_t calls{0};
  Confidence confidence{};
};

/// Makes the report from units whose observation has finished. `ideal` is null if the run was not simulated;
/// it is not used if calls were not recorded. `every_ns`: length of the spans, for By::time.
EfficiencyReport report_efficiency(const ObservedUnits& observed, const IdealRun* ideal, By by,
                                   std::int64_t every_ns = 0);
}  // namespace eventspace::efficiency
