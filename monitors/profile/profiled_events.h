#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "monitors/profile/bounded_map.h"
#include "paths/views/view.h"
#include "scopes/tree/plan_names.h"
#include "scopes/tree/view_events.h"
#include "scopes/wrappers/record_processes.h"

namespace eventspace {

/// Chooses the events of views that count in sums of time: regions, and ended calls and operations, each with
/// the report of its process. An operation that is recorded at several points of its path counts once, at the
/// first. Not thread-safe.
class ProfiledEvents {
 public:
  /// `names` must outlive it.
  explicit ProfiledEvents(const PlanNames& names) noexcept : names_(&names) {}

  /// Calls `use_region(header, probe, process)` for all regions, ended and open, and then
  /// `use_call(event, process)` for all calls: regions that have ended come before the calls inside them.
  template <class UseRegion, class UseCall>
  void for_each(const View& view, const UseRegion& use_region, const UseCall& use_call) {
    RecordProcesses processes(*names_);
    processes.learn(view);
    choose_points(view);
    for (const TraceTuple& tuple : view.records) {
      const auto probe = region_of(tuple);
      if (!probe) continue;
      const RecordHeader header = header_of(tuple);
      if (const ProcessReport* const process = processes.of(header)) use_region(header, *probe, *process);
    }
    for_each_event(view.records.whole(), [&](std::span<const TraceTuple> event) {
      const RecordHeader header = header_of(event.back());
      if (!is_call(header)) return;
      if (const ProcessReport* const process = processes.of(header)) use_call(event, *process);
    });
  }
  /// Operations of a path for which there was no room; they do not count.
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }

  /// The number of the name of a region, if the record is of one.
  static std::optional<std::uint32_t> region_of(const TraceTuple& record) noexcept;
  /// How many calls the record stands for.
  static std::uint32_t calls_in(const TraceTuple& record);
  /// The level that the call names as the phase of its thread, if it is MPI_Pcontrol.
  static std::optional<std::uint32_t> phase_begun_by(const TraceTuple& record);

 private:
  void choose_points(const View& view);
  [[nodiscard]] bool is_call(const RecordHeader& header);

  const PlanNames* names_;
  std::map<std::uint32_t, std::uint16_t> points_;  // by path; up to max_profile_entries
  std::uint64_t left_out_{0};
};

}  // namespace eventspace
