#pragma once

// Private to monitors/.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "monitors/cli/stop_signals.h"
#include "monitors/questions/loss_spans.h"
#include "monitors/questions/question_scope.h"
#include "monitors/watching/view_source.h"
#include "monitors/watching/watch_loop.h"
#include "monitors/watching/watch_options.h"
#include "monitors/watching/watch_pulls.h"
#include "monitors/watching/watched.h"
#include "pathmaps/sessions/consumer.h"
#include "scopes/tree/view_news.h"

namespace eventspace {

/// What the monitors have in common that pull again and again through a scope made for a question, of a
/// session that runs or of a recording: what is watched, its time, the consumer, the scope, the loop and the
/// tally. A monitor owns one, and adds what it makes of the views. Used by one thread.
///
///     AskedWatch watch(options, {}, [&](const Plan&) { return options.asked; });
///     watch.run([&]() -> WatchLoop::Pause { print(watch.pull()); return options.interval; });
///     return watch.conclude();
class AskedWatch {
 public:
  struct Extent {
    Played::Part part{Played::Part::all};  ///< of a recording
    std::size_t looks{0};                  ///< at a session that runs; 0: no limit
    std::size_t looks_at_recording{0};     ///< 0: no limit
    bool on_screen{false};                 ///< the monitor also handles the signals of a screen
  };

  /// `ask` says what is asked of the plan. `options`, which also give the time to watch, must outlive this
  /// object. Throws as find_watched and open_asked do.
  AskedWatch(const WatchOptions& options, const Extent& extent,
             const std::function<AskedScope(const Plan&)>& ask);

  /// Requires that a server answers (require_servers), and calls `look` as WatchLoop::run does.
  void run(const std::function<WatchLoop::Pause()>& look);
  /// What a monitor wants beside the events.
  struct Wishes {
    bool with_usage{false};      ///< as EventScope::Options
    bool with_in_flight{false};  ///< as EventScope::Options
  };
  /// Pulls, and counts the view in the tally.
  View pull(const Wishes& wishes);
  View pull() { return pull({}); }
  /// Pulls the newest event of each trace element and those in flight, through the same wrappers. Counts only
  /// the cost.
  View pull_newest();
  /// Of a standing scope (ScopeTree::look): waits for a view with news, until `limit`, the end of the time to
  /// watch, or a signal that ends the monitor; then there is none. Counts the view in the tally.
  std::optional<View> await_news(const Wishes& wishes, Deadline limit);
  /// How many events are missing in all that was pulled.
  [[nodiscard]] std::uint64_t losses() const;
  /// How many events may be missing in what was pulled since the last call. Of a recording, those that may
  /// have been lost in several of these intervals count in each (LossSpans).
  std::uint64_t take_losses();
  /// Asks something else from the next pull but one on, of a session that runs. Throws as open_asked does.
  void change(const AskedScope& asked);
  /// Prints the summary on standard error, and returns the exit status, as WatchPulls::conclude does.
  [[nodiscard]] int conclude() const;

  [[nodiscard]] bool is_recorded() const noexcept { return watched_.recorded != nullptr; }
  [[nodiscard]] const Watched& watched() const noexcept { return watched_; }
  [[nodiscard]] const std::string& session() const noexcept { return consumer_.session(); }
  [[nodiscard]] const Plan& plan() const noexcept { return consumer_.plan(); }
  [[nodiscard]] const PlanNames& names() const noexcept { return consumer_.names(); }
  [[nodiscard]] const ScopeTree& tree() const { return views_.scope().tree(); }
  [[nodiscard]] WatchLoop& loop() noexcept { return loop_; }
  [[nodiscard]] StopSignals& signals() noexcept { return signals_; }
  [[nodiscard]] WatchTally& tally() noexcept { return pulls_.tally(); }

 private:
  [[nodiscard]] WatchLoop::Limits limits(const Extent& extent) const;
  [[nodiscard]] bool is_time_up() const;

  const WatchOptions& options_;
  StopSignals signals_;
  const Watched watched_;
  const std::unique_ptr<Timeline> time_;
  Consumer consumer_;
  ScopeViews views_;
  std::optional<ScopeViews> newest_;  // once pull_newest() was called
  WatchLoop loop_;
  WatchPulls pulls_;
  std::optional<LossSpans> spans_;  // of a recording
  std::uint64_t losses_taken_{0};   // all until the last take_losses()
  Timeline::Time losses_until_;     // when that was
  ViewNews news_;
};

}  // namespace eventspace
