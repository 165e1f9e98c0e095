#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include <eventspace/deadline.h>
#include "monitors/delays/delay_report.h"
#include "monitors/delays/path_delays.h"
#include "monitors/watching/timeline.h"
#include "pathmaps/plan/plan.h"
#include "pathmaps/sessions/consumer.h"
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
  /// `consumer` must outlive this object. `tree`: made by delay_scope().
  DelayWatch(Consumer& consumer, const ScopeTree& tree, const Settings& settings);
  /// Watches delay_scope() of `pathmap`, from `since` before now on, if given. Null without such a scope.
  static std::unique_ptr<DelayWatch> on_paths(Consumer& consumer, const std::filesystem::path& pathmap,
                                              const Settings& settings,
                                              std::optional<std::chrono::nanoseconds> since = std::nullopt);

  /// Pulls unread events, if it is time; ends at `limit`, if given. `now`: the current time on the monitor's
  /// timeline.
  void look(Timeline::Time now, std::optional<Deadline> limit);
  /// Uses all events that have been read. Call after the last look().
  void finish();
  [[nodiscard]] const DelayReport& report() const noexcept { return report_; }

 private:
  EventScope unread_;
  const std::size_t batch_;
  const Settings settings_;
  PathDelays delays_;
  DelayReport report_;
  std::optional<Timeline::Time> last_;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace eventspace
