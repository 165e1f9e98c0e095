#pragma once

#include <cstdint>
#include <limits>

#include "collectors/probe_record.h"

namespace eventspace::metrics {

inline constexpr double seconds_per_ns = 1e-9;
/// A start before all events.
inline constexpr std::int64_t before_all = std::numeric_limits<std::int64_t>::min();

/// Whether an event that began at `began_ns` surely began after the start.
constexpr bool is_after(double began_ns, std::int64_t start_ns) noexcept {
  constexpr double margin_ns = 1000.0;  // larger than any rounding of times
  return began_ns - margin_ns >= static_cast<double>(start_ns);
}

/// Whether a record is a region of the program (EVENTSPACE_REGION).
inline bool is_region(const TraceTuple& record) noexcept {
  constexpr std::uint64_t verb_bits = 0xf;
  const std::uint64_t verb = record.words[3] >> 12 & verb_bits;
  return header_of(record).kind == probe_kind && verb == static_cast<std::uint64_t>(ProbeVerb::region);
}

}  // namespace eventspace::metrics
