#pragma once

#include <cstdint>
#include <unordered_map>

#include "collectors/event_record.h"
#include "scopes/scope_wrappers.h"
#include "tuplespace/view.h"

namespace eventspace {

/// Turns the ticks of records into time: keeps the newest clock of each process that a view reported. Pure.
class RecordClocks {
 public:
  /// `names` must outlive it.
  explicit RecordClocks(const PlanNames& names) noexcept : names_(&names) {}

  void learn(const View& view);
  /// The clock of the process that wrote `record`; null while no view has reported that process.
  [[nodiscard]] const ClockCalibration* clock_of(const EventRecord& record) const;

 private:
  const PlanNames* names_;
  std::unordered_map<std::uint32_t, ClockCalibration> clocks_;
};

}  // namespace eventspace
