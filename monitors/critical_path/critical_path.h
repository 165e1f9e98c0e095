#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "monitors/wait_states/run_activities.h"
#include "monitors/wait_states/wait_states.h"
#include "tuplespace/system/saturating.h"

namespace eventspace {

/// A sort of activity whose time is summed over locations: computation in a region, or the calls at one site,
/// without their waiting.
struct PathActivity {
  bool is_call{false};
  std::uint32_t number{0};  ///< of the call site, or of the region; region 0: outside of regions
  friend auto operator<=>(const PathActivity&,
                          const PathActivity&) = default;  // NOLINT(modernize-use-nullptr)
};

/// A piece of the critical path.
struct PathSegment {
  std::uint32_t location{0};
  std::int64_t begin_ns{0};
  std::int64_t end_ns{0};
  PathActivity of{};
  /// Set for the rest of a call after its wait: the location for which it had waited, where the path was
  /// before.
  std::optional<std::uint32_t> from{};
  [[nodiscard]] std::int64_t ns() const noexcept { return saturating::subtract(end_ns, begin_ns); }
};

/// The critical path of a run: the longest chain of activities that depend on each other, from the end of the
/// call that ended last, back to the begin of a location. It waits for nothing, so that making an activity on
/// it shorter makes the run shorter, until another path is longer (Boehme, Wolf, de Supinski, Schulz, Geimer:
/// Scalable critical-path based performance analysis).
///
/// The path is followed backward: from a call that waited, it continues at the location that caused the wait,
/// at the time when the wait ended.
struct CriticalPath {
  enum class Break : std::uint8_t {
    none,        ///< it reaches the begin of the run
    gap,         ///< records of the location are missing before
    unknown,     ///< the call may have waited for a location whose records are missing
    first_call,  ///< the location has no call before, though the run is longer by `least_share` of it: the
                 ///< location may have computed, or not have begun
  };
  /// Shares of the run or of the path below this one are not worth mentioning.
  static constexpr double least_share = 0.02;
  static constexpr std::size_t max_segments = 1 << 20;

  std::vector<PathSegment> segments{};  ///< in the order of their times; the newest `max_segments`
  std::uint64_t left_out{0};            ///< older segments. The sums include them.
  std::int64_t begin_ns{0};
  std::int64_t end_ns{0};
  std::int64_t run_begin_ns{0};  ///< begin of the first known call of all locations
  std::int64_t run_end_ns{0};    ///< after `end_ns` if calls were in flight then: the end of recording
  std::uint64_t in_flight{0};    ///< locations in a call that had not ended
  std::int64_t longest_in_flight_ns{0};  ///< of these calls, until the end of recording
  Break breaks{Break::none};             ///< why it is not known before `begin_ns`
  std::uint32_t begin_location{0};
  std::map<std::pair<PathActivity, std::uint32_t>, std::int64_t> sums{};  ///< by activity and location
  std::int64_t transfer_ns{0};  ///< part of the calls' time, after their waits
  std::uint64_t jumps{0};       ///< from one location to another
  /// Waits on the path that are not longer than the error of the clocks. The path does not follow them.
  std::uint64_t unclear{0};
  std::int64_t unclear_ns{0};
  /// Calls on the path that may have waited for something that is not analysed, such as one-sided operations.
  std::int64_t unfollowed_ns{0};

  [[nodiscard]] std::int64_t ns() const noexcept { return saturating::subtract(end_ns, begin_ns); }
  /// From the first known call to the end of the last one that ended.
  [[nodiscard]] std::int64_t run_ns() const noexcept { return saturating::subtract(end_ns, run_begin_ns); }
  /// From the end of the path to the end of recording, during which calls were in flight; 0 without such.
  [[nodiscard]] std::int64_t behind_ns() const noexcept { return saturating::subtract(run_end_ns, end_ns); }
  /// The share of `run_ns` that the path covers; 0 if it has no length.
  [[nodiscard]] double covered() const noexcept;
  [[nodiscard]] bool is_empty() const noexcept { return sums.empty(); }
};

/// Finds the critical path. `found`: find_waits(run). It is empty if no call of the run has ended. The time
/// is proportional to the number of calls. Pure.
[[nodiscard]] CriticalPath find_critical_path(const RunActivities& run, const WaitStates& found);

}  // namespace eventspace
