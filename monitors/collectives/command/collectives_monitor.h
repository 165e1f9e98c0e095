#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "monitors/cli/stop_signals.h"
#include "monitors/collectives/collective_analysis.h"
#include "monitors/collectives/collective_printer.h"
#include "monitors/collectives/command/summary_page.h"
#include "monitors/collectives/mpi_collectives.h"
#include "monitors/collectives/open_operations.h"
#include "monitors/collectives/watched_collectives.h"
#include "monitors/delays/delay_watch.h"
#include "monitors/text/colour.h"
#include "monitors/top/terminal/live_screen.h"
#include "monitors/top/terminal/terminal.h"
#include "monitors/watching/timeline.h"
#include "monitors/watching/view_source.h"
#include "monitors/watching/watch_loop.h"
#include "monitors/watching/watch_options.h"
#include "monitors/watching/watch_pulls.h"

namespace eventspace {

struct CollectivesOptions : WatchOptions {
  CollectivesOptions() : WatchOptions{.scope = "collectives", .interval = std::chrono::milliseconds(500)} {}
  std::vector<std::string> collectives;  ///< by name; for an MPI job, globs over communicators; empty means
                                         ///< all
  std::chrono::nanoseconds open_after = std::chrono::seconds(1);
  CollectiveAnalysis::Config analysis;
  bool each{false};  ///< each operation as it ends or has been open for long, instead of a summary at the end
  bool views{false};  ///< the same, with the joints and stages of each operation
  bool total{false};  ///< with the summary also the totals by thread, node, joint and stage
  std::size_t limit{10};
  bool lines{false};  ///< no live page, even on a terminal
  ColourUse colour{ColourUse::automatic};

  [[nodiscard]] bool prints_each() const noexcept { return each || views; }
};

/// The monitor of collective operations without its command line: pulls views, and prints a summary of the
/// operations at the end, or each operation. The caller supplies the source of the views and the timeline.
/// Used by one thread.
class CollectivesMonitor {
 public:
  /// `views` yields views of `tree`; `newest` yields the newest event of each of its trace elements, and is
  /// pulled only when no operation ends. Throws as CollectiveWatch does. All arguments except `options` must
  /// outlive this object.
  CollectivesMonitor(const Plan& plan, const PlanNames& names, const ScopeTree& tree,
                     const CollectivesOptions& options, ViewSource& views, ViewSource& newest,
                     Timeline& timeline, std::ostream& out);

  /// With CollectivesOptions::total, the totals include the threads that delay the others on all paths.
  /// `delays` must outlive this object.
  void watch_delays(DelayWatch& delays) noexcept { delays_ = &delays; }

  /// Refreshes the summary on the terminal during watch(), and handles its keys and signals. `signals`, which
  /// must also handle those of a screen (StopSignals::of_screen), must outlive this object. No effect if each
  /// operation is printed.
  void show_on_terminal(StopSignals& signals, const top::TerminalKind& kind);

  /// Pulls and prints until a limit of the options is reached or the timeline ends the monitor; then prints
  /// the operations that are still open, or the summary and the totals.
  void watch();
  /// Prints the outcomes if each operation was printed, and what WatchPulls::conclude prints. Returns the
  /// exit status of the command.
  int conclude(std::ostream& summary, const Link::Counts& traffic) const;

 private:
  WatchLoop::Pause look();
  bool print_ended(const std::vector<WatchedCollectives::Operation>& ended, std::chrono::nanoseconds time);
  void print_open(std::chrono::nanoseconds time);
  WatchLoop::Pause show(Timeline::Time now);
  void print_end();
  void print_outcomes(std::ostream& out) const;
  bool flush() { return !options_.prints_each() || printer_.flush(); }

  const CollectivesOptions options_;
  const PlanNames* names_;
  std::ostream* out_;
  ViewSource* views_;
  ViewSource* newest_;
  std::unique_ptr<WatchedCollectives> watch_;
  const MpiCollectives* job_{nullptr};  // the same, for an MPI job
  CollectivePrinter printer_;
  WatchLoop loop_;
  WatchPulls pulls_;
  OpenOperations open_;
  DelayWatch* delays_{nullptr};
  StopSignals* signals_{nullptr};            // only with a page
  std::unique_ptr<SummaryPage> page_;        // only on a terminal
  std::unique_ptr<top::LiveScreen> screen_;  // from the first look until the page is left
  bool has_colour_{false};
  bool has_left_page_{false};
  std::size_t operations_{0};
  bool is_wrong_{false};  // an operation was broken, or is open for long at the end
};

}  // namespace eventspace
