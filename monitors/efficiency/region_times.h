#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "monitors/efficiency/unit_times.h"
#include "monitors/profile/phase_times.h"
#include "paths/views/view.h"
#include "scopes/tree/plan_names.h"

namespace eventspace::efficiency {

/// The time of units in the regions and phases of the program (PhaseTimes), as it was and on an ideal
/// network. Not thread-safe.
class RegionTimes {
 public:
  /// `names` must outlive it.
  explicit RegionTimes(const PlanNames& names) : recorded_(names), ideal_(names) {}

  /// Adds a region, ended or open, before the calls of its view.
  void add(const RecordHeader& region, std::uint32_t probe, const ProcessReport& process) {
    recorded_.add_region(region, probe, process);
  }
  /// The same region with its times on an ideal network, in nanoseconds from any moment on.
  void add_ideal(const RecordHeader& region, std::uint32_t probe, std::uint32_t process);
  /// A region of this unit has times that are not known on an ideal network; so none of the unit's are.
  void miss_ideal(std::uint32_t unit) { without_ideal_.insert(unit); }
  /// Adds an ended call; `header`: of its last record, whose times may have been cut.
  void add_call(std::span<const TraceTuple> event, const RecordHeader& header, const ProcessReport& process);
  /// To be called after the last view.
  void settle();

  struct Region {
    std::string name;  ///< "-" is outside of all
    UnitTimes::Cell cell{};
  };
  /// The ideal time of a whole unit; nullopt if it is not known.
  using IdealOfUnit = std::function<std::optional<double>(const UnitTimes::Unit&)>;
  /// By name, with the threads that are units of `times`.
  [[nodiscard]] std::vector<Region> regions(const UnitTimes& times, const IdealOfUnit& ideal) const;
  [[nodiscard]] std::uint64_t left_out() const noexcept { return recorded_.left_out(); }

 private:
  using IdealTimes = std::map<std::pair<std::string, std::uint32_t>, double>;  // by region and unit
  [[nodiscard]] IdealTimes ideal_times(const UnitTimes& times, const IdealOfUnit& ideal) const;

  PhaseTimes recorded_;
  PhaseTimes ideal_;  // regions only; a tick is a nanosecond
  std::set<std::uint32_t> without_ideal_;
};

}  // namespace eventspace::efficiency
