#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "monitors/budget/budget_lines.h"
#include "monitors/questions/loss_spans.h"
#include "monitors/watching/view_source.h"
#include "monitors/watching/watch_loop.h"
#include "monitors/watching/watch_options.h"
#include "monitors/watching/watch_pulls.h"
#include "monitors/watching/watch_session.h"
#include "pathmaps/questions/question_scope.h"
#include "scopes/tree/view_news.h"

namespace eventspace {

/// The common part of monitors that pull repeatedly through a scope that is made for a question, from a
/// running session or a recording: the watched session, its timeline, the consumer, the scope, the loop and
/// the tally. A monitor owns one, and adds its use of the views. Used by one thread.
///
///     AskedWatch watch(options, {}, [&](const Plan&) { return options.asked; });
///     watch.run([&]() -> WatchLoop::Pause { print(watch.pull()); return options.interval; });
///     return watch.conclude();
class AskedWatch {
 public:
  struct Extent {
    Played::Part part{Played::Part::all};  ///< for a recording
    std::size_t looks{0};                  ///< for a running session; 0: no limit
    std::size_t looks_at_recording{0};     ///< 0: no limit
    bool on_screen{false};                 ///< the monitor also handles the signals of a screen
  };

  /// `ask` returns the question about the plan. `options`, which also hold the time to watch, must outlive
  /// this object. Throws as find_watched and open_asked do.
  AskedWatch(const WatchOptions& options, const Extent& extent,
             const std::function<AskedScope(const Plan&)>& ask);

  /// Requires that a server answers (require_servers), and calls `look` as WatchLoop::run does. Keeps the
  /// budget of `--budget` meanwhile.
  void run(const std::function<WatchLoop::Pause()>& look);
  /// Requirements of a monitor in addition to the events.
  struct Wishes {
    bool with_usage{false};      ///< as EventScope::Options
    bool with_in_flight{false};  ///< as EventScope::Options
  };
  /// Pulls, and counts the view in the tally.
  View pull(const Wishes& wishes);
  View pull() { return pull({}); }
  /// Pulls the newest event of each trace element and the events in flight, through the same wrappers. Counts
  /// only the cost.
  View pull_newest();
  /// For a subscription (ScopeTree::look): waits for a view with news. Returns nullopt at `limit`, at the end
  /// of the time to watch, or after a signal that ends the monitor. Counts the view in the tally.
  std::optional<View> await_news(const Wishes& wishes, Deadline limit);
  /// How many events are missing in all pulled views.
  [[nodiscard]] std::uint64_t losses() const;
  /// How many events may be missing in the views since the last call. For a recording, events that may have
  /// been lost in any of several of these intervals count in each (LossSpans).
  std::uint64_t take_losses();
  /// Changes the question of a running session, from the next pull but one on. Throws as open_asked does.
  void change(const AskedScope& asked);
  /// Call when there is no screen any more. Prints the summary on standard error, and returns the exit
  /// status, as WatchPulls::conclude does.
  [[nodiscard]] int conclude();

  [[nodiscard]] bool is_recorded() const noexcept { return session_.is_recorded(); }
  [[nodiscard]] const Watched& watched() const noexcept { return session_.watched; }
  [[nodiscard]] const std::string& session() const noexcept { return session_.consumer.session(); }
  [[nodiscard]] const Plan& plan() const noexcept { return session_.consumer.plan(); }
  [[nodiscard]] const PlanNames& names() const noexcept { return session_.consumer.names(); }
  [[nodiscard]] const ScopeTree& tree() const { return views_.scope().tree(); }
  [[nodiscard]] WatchLoop& loop() noexcept { return loop_; }
  [[nodiscard]] StopSignals& signals() noexcept { return session_.signals; }
  [[nodiscard]] WatchTally& tally() noexcept { return pulls_.tally(); }

 private:
  [[nodiscard]] WatchLoop::Limits limits(const Extent& extent) const;
  [[nodiscard]] bool is_time_up() const;

  const WatchOptions& options_;
  const bool on_screen_;
  WatchSession session_;
  ScopeViews views_;
  std::optional<ScopeViews> newest_;  // set by the first pull_newest()
  WatchLoop loop_;
  WatchPulls pulls_;
  std::optional<LossSpans> spans_;  // only for a recording
  std::uint64_t losses_taken_{0};   // total at the last take_losses()
  Timeline::Time losses_until_;     // time of the last take_losses()
  ViewNews news_;
  int budget_status_{0};
  BudgetLines budget_lines_;  // only with a screen
};

}  // namespace eventspace
