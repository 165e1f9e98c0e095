#pragma once

// Private to monitors/.

#include <chrono>
#include <filesystem>
#include <optional>

#include <eventspace/deadline.h>
#include "monitors/delays/delay_report.h"
#include "monitors/delays/path_delays.h"
#include "monitors/watching/timeline.h"
#include "monitors/watching/view_source.h"
#include "pathmaps/plan/plan.h"
#include "scopes/tree/plan_names.h"
#include "scopes/tree/scope_tree.h"

namespace eventspace {

/// A scope that yields the unread operations on all paths of `plan`, each once; nullopt if the pathmap
/// records none, or there is no pathmap.
std::optional<ScopeTree> delay_scope(const std::filesystem::path& pathmap, const Plan& plan);

/// Finds the threads that delay the others, beside the other work of a monitor: pulls all unread events.
/// Events that it does not read in time are missing, which DelayOrigins allows for. Used by one thread.
class DelayWatch {
 public:
  struct Settings {
    bool is_paced{false};  ///< pulls for at most a twentieth of the time; calls in between do nothing
    bool fades{false};     ///< old waits count less than new ones: half after half a minute
  };
  /// All must outlive it. `unread`: a source of views of delay_scope().
  DelayWatch(const Plan& plan, const PlanNames& names, ViewSource& unread, const ScopeTree& tree,
             const Settings& settings);

  /// Pulls unread events, if it is time; ends at `limit`, if given. `now`: the current time on the monitor's
  /// timeline.
  void look(Timeline::Time now, std::optional<Deadline> limit);
  /// Uses all events that have been read. Call after the last look().
  void finish();
  [[nodiscard]] const DelayReport& report() const noexcept { return report_; }

 private:
  ViewSource* unread_;
  const std::size_t batch_;
  const Settings settings_;
  PathDelays delays_;
  DelayReport report_;
  std::optional<Timeline::Time> last_;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace eventspace
