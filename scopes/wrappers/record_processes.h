#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "collectors/record_header.h"
#include "paths/views/view.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// Finds the view's report of the process that recorded a record, for its clock. Lookups do not allocate. Not
/// thread-safe.
class RecordProcesses {
 public:
  /// `names` must outlive this object.
  explicit RecordProcesses(const PlanNames& names) noexcept : names_(&names) {}

  /// Uses the reports of `view` from now on. They must stay at the same address until the next call.
  void learn(const View& view);

  /// Whether the view reports each process once, so that all records of a trace element have one report.
  [[nodiscard]] bool has_one_run_each() const noexcept;

  /// Returns null if the view does not report the process, or the plan does not have the trace element. If
  /// the view reports several runs of the process, returns the last one whose clock was calibrated before the
  /// record began, otherwise the first.
  [[nodiscard]] const ProcessReport* of(const RecordHeader& record);

 private:
  struct Collector {
    std::uint32_t path{0};
    std::uint16_t point{0};
    friend bool operator==(const Collector&, const Collector&) = default;
  };
  /// Sorted by process, and then by the time of calibration.
  using Reports = std::vector<std::pair<std::uint32_t, const ProcessReport*>>;

  [[nodiscard]] std::pair<Reports::const_iterator, Reports::const_iterator> find(const Collector& of) const;

  const PlanNames* names_;
  Reports reports_;
  std::optional<Collector> last_;  // last lookup: records of one trace element come together
  std::pair<Reports::const_iterator, Reports::const_iterator> last_reports_;
};

}  // namespace eventspace
