#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "collectors/event_record.h"
#include "pathmaps/plan.h"
#include "tuplespace/view.h"

namespace eventspace {

/// Turns the ticks of records into time: knows which process recorded what, and keeps the newest clock of
/// each process that a view reported. Pure.
class RecordClocks {
 public:
  explicit RecordClocks(const Plan& plan);

  void learn(const View& view);
  /// The clock of the process that wrote `record`; null while no view has reported that process.
  [[nodiscard]] const ClockCalibration* clock_of(const EventRecord& record) const;
  /// Which process that is, as numbered in SourceRef; nothing for a record that is not of this plan.
  [[nodiscard]] std::optional<std::uint32_t> process_of(const EventRecord& record) const;

 private:
  static std::uint64_t key(std::uint64_t path, std::uint64_t point) noexcept { return path << 16 | point; }

  std::unordered_map<std::uint64_t, std::uint32_t> process_;  // by path and point
  std::unordered_map<std::uint32_t, ClockCalibration> clocks_;
};

}  // namespace eventspace
