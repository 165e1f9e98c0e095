#pragma once

#include <chrono>
#include <functional>
#include <ostream>

#include "monitors/endings/unread_rest.h"
#include "monitors/watching/timeline.h"
#include "monitors/watching/view_source.h"
#include "monitors/watching/watch_cost.h"
#include "monitors/watching/watch_loop.h"
#include "monitors/watching/watch_options.h"
#include "monitors/watching/watch_tally.h"

namespace eventspace {

/// The pulls of a monitor, live or of a recording: pulls views at the present moment of its timeline, and
/// counts their events, losses and cost. Used by one thread.
///
///     WatchPulls pulls(timeline, consumer.names());
///     loop.run([&]() -> WatchLoop::Pause { print(pulls.pull(views, {.deadline = limit})); return interval;
///     }); return pulls.conclude(std::cerr, options, loop.elapsed(), consumer.traffic());
class WatchPulls {
 public:
  /// `timeline` and `names` must outlive this object.
  WatchPulls(const Timeline& timeline, const PlanNames& names) noexcept
      : timeline_(&timeline), names_(&names), rest_(names) {}

  /// Pulls, and counts the view in the tally and the cost.
  View pull(ViewSource& views, const EventScope::Options& options);
  /// Pulls, and counts only the cost: for views in addition to those that the monitor shows.
  View pull_beside(ViewSource& views, EventScope::Options options);

  /// Pulls from a subscription (ScopeTree::look). The pull waits, which is not a cost. Counts nothing.
  View pull_waiting(ViewSource& views, EventScope::Options options) const;
  /// Counts a view in the tally.
  void count(const View& view);

  /// Makes the argument of WatchLoop::read_rest for a monitor that pulls unread events through `tree`.
  /// `newest` pulls the newest event of each trace element that the tree reads (newest_of_each). The result
  /// refers to this object.
  using PullNewest = std::function<View(const EventScope::Options& options)>;
  [[nodiscard]] WatchLoop::Rest rest_of(const ScopeTree& tree, PullNewest newest);

  [[nodiscard]] const Timeline& timeline() const noexcept { return *timeline_; }
  [[nodiscard]] Timeline::Time now() const { return timeline_->now(); }
  [[nodiscard]] WatchTally& tally() noexcept { return tally_; }
  [[nodiscard]] const WatchTally& tally() const noexcept { return tally_; }
  [[nodiscard]] const WatchCost& cost() const noexcept { return cost_; }

  /// Prints one sentence about losses that change the answer; with WatchOptions::verbose, prints the tally
  /// and the cost instead; with WatchOptions::quiet, nothing. Returns exit_unreachable if no event could be
  /// seen, otherwise exit_fine.
  int conclude(std::ostream& out, const WatchOptions& options, std::chrono::nanoseconds elapsed,
               const Link::Counts& traffic) const;

 private:
  const Timeline* timeline_;
  const PlanNames* names_;
  WatchTally tally_;
  WatchCost cost_;
  UnreadRest rest_;
  bool reads_rest_{false};
};

}  // namespace eventspace
