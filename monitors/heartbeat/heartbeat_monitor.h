#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <ostream>

#include "monitors/delays/delay_watch.h"
#include "monitors/heartbeat/element_fills.h"
#include "monitors/heartbeat/heartbeat_analysis.h"
#include "monitors/heartbeat/heartbeat_pace.h"
#include "monitors/heartbeat/heartbeat_printer.h"
#include "monitors/heartbeat/job_health.h"
#include "monitors/watching/timeline.h"
#include "monitors/watching/view_source.h"
#include "monitors/watching/watch_loop.h"
#include "monitors/watching/watch_pulls.h"

namespace eventspace {

/// The heartbeat monitor without its command line: pulls views at the heartbeat's pace, judges each, and
/// prints the verdicts. The caller supplies the source of the views and the timeline. Used by one thread.
class HeartbeatMonitor {
 public:
  struct Settings {
    HeartbeatPace::Wishes pace{};
    std::size_t count{0};                                ///< maximum number of pulls; 0 means no limit
    std::optional<std::chrono::nanoseconds> duration{};  ///< nullopt means no limit
    /// Ends as soon as a thread is stalled, or threads have been unreachable for the time of a stall.
    bool until_stall{false};
    HeartbeatListing listing{HeartbeatListing::stalled};
    Format format{Format::text};
    bool has_colour{false};  ///< the text has colours
    /// Judges the ranks of each MPI job together; requires views with all of their threads.
    bool judges_jobs{true};
    /// Ends when all processes have ended, and no new process has appeared for the time of a stall.
    bool until_end{false};
  };

  /// Watches the threads of which `tree` reads at least one trace element. `views` yields views of that tree;
  /// a pull through it may take `patience`. `fills` supplies the fills of elements at which threads wait, and
  /// may be null. For `past` see JobHealth; it may be null. All arguments except `settings` must outlive this
  /// object.
  HeartbeatMonitor(const Plan& plan, const PlanNames& names, const ScopeTree& tree,
                   std::chrono::nanoseconds patience, const Settings& settings, ViewSource& views,
                   Timeline& timeline, std::ostream& out, FillSource* fills = nullptr,
                   ViewSource* past = nullptr);

  /// Adds to each report, from now on, the stacks of the threads that it blames. `source` must outlive this
  /// object.
  void show_stacks(StackSource& source) noexcept { stacks_ = &source; }

  /// Adds to each report, from now on, the threads that delay the others. `delays` must outlive this object.
  void watch_delays(DelayWatch& delays) noexcept { delays_ = &delays; }

  /// Pulls and prints until a limit of the settings is reached or the timeline ends the monitor.
  void watch();
  /// Pulls twice, a quarter of a second apart, and prints the second view. Only the difference between two
  /// views shows which threads use the processor.
  void look_once();

  [[nodiscard]] const HeartbeatPace& pace() const noexcept { return pace_; }
  /// The newest verdicts.
  [[nodiscard]] const HealthReport& report() const noexcept { return report_; }
  /// Prints one sentence about losses that change the verdicts. If `verbose`, prints the number of pulls,
  /// their rate, the tally and the cost instead.
  void conclude(std::ostream& out, bool verbose, const Link::Counts& traffic) const;

 private:
  WatchLoop::Pause look();
  void judge(const View& view, Timeline::Time now, std::chrono::nanoseconds patience);
  void look_at_delays(Timeline::Time now);
  bool is_certain_stall(Timeline::Time now);
  bool is_over(Timeline::Time now);

  Settings settings_;
  ViewSource* views_;
  FillSource* fills_;
  StackSource* stacks_{nullptr};
  DelayWatch* delays_{nullptr};
  HeartbeatAnalysis analysis_;
  JobHealth job_;
  HeartbeatPrinter printer_;
  HeartbeatPace pace_;
  WatchLoop loop_;
  WatchPulls pulls_;
  HealthReport report_;
  std::optional<Timeline::Time> hidden_since_;  // when threads became unreachable; nullopt if none is
  std::optional<Timeline::Time> ended_since_;   // when all threads had ended; nullopt before
};

}  // namespace eventspace
