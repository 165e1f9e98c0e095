#pragma once

#include <cstdint>
#include <string_view>

namespace eventspace {

/// How the two stamps of an event stand to the operation between them, where they come from the processor's
/// counter: it executes instructions out of order, also the one that reads the counter.
/// (CLOCK_MONOTONIC is ordered in any case.)
enum class StampOrder : std::uint8_t {
  /// A plain rdtsc: read while instructions before it are still under way, or some after it have begun
  /// already. Early or late by some nanoseconds; costs what reading the counter costs.
  plain,
  /// The start stamp is read when all before it has been executed, and before anything of the operation
  /// begins; the end stamp when all of the operation has been executed (its last stores may still be on their
  /// way to memory). Costs an rdtscp for each rdtsc, and an lfence, more (docs/performance.md): for
  /// operations
  /// that take no longer than that.
  ordered
};
std::string_view to_string(StampOrder order) noexcept;

}  // namespace eventspace
