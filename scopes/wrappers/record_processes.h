#pragma once

// Private to scopes/.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "collectors/event_record.h"
#include "paths/views/view.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// Finds for each record of a view what the view reports of the process that recorded it: that process's
/// clock counts the record's ticks. Looking up allocates nothing. Not thread-safe.
class RecordProcesses {
 public:
  /// `names` must outlive it.
  explicit RecordProcesses(const PlanNames& names) noexcept : names_(&names) {}

  /// From now on the processes are those of `view`, whose reports must stay where they are meanwhile.
  void learn(const View& view);

  /// Null when the view does not report the process, or the plan has no such trace element. Of several runs
  /// of one process it is the last one whose clock was calibrated before the record began.
  [[nodiscard]] const ProcessReport* of(const EventRecord& record);

 private:
  struct Collector {
    std::uint32_t path{0};
    std::uint16_t point{0};
    friend bool operator==(const Collector&, const Collector&) = default;
  };
  /// All reports of one process are neighbours.
  using Reports = std::vector<std::pair<std::uint32_t, const ProcessReport*>>;

  [[nodiscard]] std::pair<Reports::const_iterator, Reports::const_iterator> find(const Collector& of) const;

  const PlanNames* names_;
  Reports reports_;
  std::optional<Collector> last_;  // records of one trace element come together
  std::pair<Reports::const_iterator, Reports::const_iterator> last_reports_;
};

}  // namespace eventspace
