#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "monitors/wait_states/run_activities.h"
#include "monitors/wait_states/wait_states.h"

namespace eventspace {

/// A number of waits, and their duration in nanoseconds.
struct WaitSum {
  std::uint64_t waits{0};
  double ns{0};
  /// Waits that are not longer than the error of the clocks. They are in no other number.
  std::uint64_t unclear{0};
  double unclear_ns{0};
  void add(const WaitState& wait) noexcept;
};

/// A location, and nanoseconds.
struct LocationTime {
  std::uint32_t location{0};
  double ns{0};
};

/// The waits of one kind at one call site.
struct SiteWaits {
  WaitKind kind{WaitKind::late_sender};
  std::uint32_t site{0};
  WaitSum sum{};
  std::vector<LocationTime> waiting{};  ///< the location that waited longest first
  /// The locations with which these waits began (DelayOrigins), the costliest first.
  std::vector<LocationTime> origins{};
  double unknown_ns{0};  ///< waits whose origin is not known, because records are missing
};

/// The waits of one location.
struct LocationWaits {
  WaitSum sum{};
  double caused_ns{0};  ///< waits of others that began with this location
};

struct WaitTotals {
  std::vector<SiteWaits> sites{};          ///< the longest waits first
  std::vector<LocationWaits> locations{};  ///< by location
  WaitSum all{};
  double unknown_ns{0};       ///< with unknown origins
  std::uint64_t left_out{0};  ///< origins that are not listed, because of limits
};

/// Sums the wait states of a run, and follows each to its origin over any number of locations (Boehme,
/// Geimer, Arnold, Voigtlaender, Wolf: Identifying the root causes of wait states in large-scale parallel
/// applications). Waiting at start-up is not a wait state, and is left out. At most `max_rows` pairs of a
/// call site and a location are kept. Pure.
[[nodiscard]] WaitTotals sum_waits(const RunActivities& run, const WaitStates& found);
inline constexpr std::size_t max_rows = 1 << 20;

}  // namespace eventspace
