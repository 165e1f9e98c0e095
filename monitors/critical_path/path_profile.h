#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "monitors/critical_path/critical_path.h"
#include "monitors/wait_states/run_activities.h"
#include "monitors/wait_states/wait_states.h"

namespace eventspace {

/// An activity on the critical path, compared with its time on all locations. Times are nanoseconds.
///
/// The *critical-path imbalance* is `path_ns - mean_ns`: how much shorter the path would be if the activity
/// were spread evenly over the locations, as long as no other path is longer. From the paper that
/// critical_path.h names; there, negative values count as 0.
struct ActivityProfile {
  PathActivity of{};
  double path_ns{0};  ///< on the path
  double mean_ns{0};  ///< mean over the locations of their time in it, without waiting
  /// The location that is responsible: it has more of the activity than the mean, and on the path. If there
  /// is none, the location with the largest part of the path.
  std::uint32_t location{0};
  double location_path_ns{0};    ///< its part of `path_ns`
  double location_excess_ns{0};  ///< its time on the path above the mean; 0: it is not responsible
  [[nodiscard]] double imbalance_ns() const noexcept { return path_ns > mean_ns ? path_ns - mean_ns : 0; }
};

/// The critical path by activity: its profile.
struct PathProfile {
  std::vector<ActivityProfile> activities{};  ///< the longest on the path first
  std::vector<double> locations{};            ///< by location: its time on the path
  double imbalance_ns{0};                     ///< the sum
  /// Time of locations between the begin and the end of the path that is not known, because records are
  /// missing: means are of the known time.
  double unknown_ns{0};

  /// The activity with the largest imbalance; null without a path.
  [[nodiscard]] const ActivityProfile* costliest() const noexcept;
};

/// Pure. The time is proportional to the number of calls.
[[nodiscard]] PathProfile profile_path(const RunActivities& run, const WaitStates& found,
                                       const CriticalPath& path);

}  // namespace eventspace
