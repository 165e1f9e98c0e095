#pragma once

#include <cstdint>
#include <string_view>

namespace eventspace {

/// How exactly the two stamps of an event enclose the operation, if they come from the processor's counter:
/// the processor executes instructions out of order, including the one that reads the counter.
/// (CLOCK_MONOTONIC is always ordered.)
enum class StampOrder : std::uint8_t {
  /// A plain rdtsc: it may execute before earlier instructions have finished or after later ones have begun,
  /// so a stamp may be some nanoseconds early or late. Costs no more than reading the counter.
  plain,
  /// The start stamp is read after all earlier instructions have executed and before the operation begins;
  /// the end stamp after the whole operation has executed, except that its last stores may not have reached
  /// memory. Costs the difference between rdtscp and rdtsc, plus an lfence (docs/performance.md); meant for
  /// operations as short as that.
  ordered
};
std::string_view to_string(StampOrder order) noexcept;

}  // namespace eventspace
