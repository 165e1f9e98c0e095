#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "tuplespace/trace/collect_switch.h"

namespace eventspace {

/// A quantity that is known to lie between two values, such as nanoseconds of processor time.
struct Range {
  double low{0};
  double high{0};

  Range& operator+=(const Range& other) noexcept;
  friend Range operator*(const Range& range, double factor) noexcept {
    return {range.low * factor, range.high * factor};
  }
  friend bool operator==(const Range&, const Range&) = default;
};

/// The processor time in nanoseconds that one event of an application takes for EventSpace, by the treatment
/// of the event.
struct RecordCosts {
  Range recorded;  ///< its record is written
  Range counted;   ///< only counted, because one event in n is recorded and this is another one
  Range off;       ///< its class is switched off
};

/// The events of one kind and class between two pulls.
struct ClassLoad {
  EventClasses of{};
  double recorded{0};             ///< records that were written
  double events{0};               ///< events that happened, as far as they are known
  std::uint32_t period{1};        ///< one event in `period` was recorded; 0: none
  std::uint32_t least_period{1};  ///< the setting that was found; never recorded more often than this
  bool is_fixed{false};           ///< a user has switched it since, so it is left alone
};

/// The events and the processor times of a session between two pulls.
struct LookCounts {
  std::chrono::nanoseconds elapsed{};
  /// Processor time of the application's threads that record: of each thread of which a record was seen.
  std::chrono::nanoseconds recording_cpu{};
  /// Processor time of this tool, and of the session's servers on this machine.
  std::chrono::nanoseconds watching_cpu{};
  std::vector<ClassLoad> classes{};
};

/// The overhead between two looks, in nanoseconds of processor time.
struct Overhead {
  Range records;  ///< of the application's events
  double watching{0};
  double of{0};  ///< the time of which the overhead is a share: LookCounts::recording_cpu

  [[nodiscard]] double low() const noexcept { return records.low + watching; }
  [[nodiscard]] double high() const noexcept { return records.high + watching; }
  /// The upper end as a share; 0 if no recording thread has run.
  [[nodiscard]] double share() const noexcept { return of > 0 ? high() / of : 0; }
};

/// The cost of `load`, if one event in `period` is recorded; 0: none. Pure.
Range cost_of(const ClassLoad& load, std::uint32_t period, const RecordCosts& costs) noexcept;
/// Adds up the loads of one class that have the same settings, such as the loads of several processes. Pure.
std::vector<ClassLoad> summed(const std::vector<ClassLoad>& loads);
/// The overhead that `counts` mean. Pure.
Overhead overhead_of(const LookCounts& counts, const RecordCosts& costs) noexcept;

}  // namespace eventspace
