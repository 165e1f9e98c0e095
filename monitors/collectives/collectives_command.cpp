#include "monitors/collectives/collectives_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "monitors/cli/faulty_pathmap.h"
#include "monitors/cli/stop_signals.h"
#include "monitors/cli/text_format.h"
#include "monitors/collectives/collective_printer.h"
#include "monitors/collectives/collective_scope.h"
#include "monitors/collectives/collective_watch.h"
#include "monitors/collectives/totals_printer.h"
#include "monitors/watching/newest_of_each.h"
#include "monitors/watching/watch_cost.h"
#include "monitors/watching/watch_options.h"
#include "monitors/watching/watch_tally.h"
#include "pathmaps/sessions/consumer.h"

namespace eventspace {
namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

struct CollectivesOptions : WatchOptions {
  CollectivesOptions() : WatchOptions{.scope = "collectives", .interval = std::chrono::milliseconds(500)} {}
  std::vector<std::string> collectives;
  nanoseconds open_after = std::chrono::seconds(1);
  CollectiveAnalysis::Config analysis;
  bool total{false};
  bool views{false};
  std::size_t most{10};
};

// One that is asked for by name is taken as it is.
EventScope open_scope(Consumer& consumer, const CollectivesOptions& options) {
  if (options.scope != CollectivesOptions().scope) return consumer.open(options.scope);
  return consumer.open(collective_scope(options.pathmap, consumer.plan(), options.views));
}

class CollectivesMonitor {
 public:
  explicit CollectivesMonitor(const CollectivesOptions& options)
      : options_(options),
        consumer_(read_pathmap(options.pathmap), options.session),
        scope_(open_scope(consumer_, options)),
        newest_(consumer_.open(newest_of_each(scope_.tree()))),
        watch_(consumer_.plan(), consumer_.names(), scope_.tree(), options.collectives, options.analysis),
        printer_(std::cout, options.format, options.views, watch_) {}

  int run() {
    while (pull() && !options_.is_over(start_) && !signals_.wait_for(options_.interval)) {
    }
    const bool hangs = print_end();
    if (!options_.quiet) say_what_was_seen();
    if (options_.cost) cost_.print(std::cerr, consumer_.traffic());
    if (tally_.saw_nothing()) return exit_unreachable;
    return hangs || is_wrong_ ? exit_found_wrong : exit_fine;
  }

 private:
  using Key = std::tuple<std::uint64_t, std::size_t, std::uint64_t>;  // run, collective and number
  static Key key_of(const CollectiveWatch::Operation& operation) {
    return {operation.run, operation.collective, operation.report.number};
  }
  struct Open {
    steady_clock::time_point since;
    std::optional<std::vector<std::size_t>> told{};  ///< who was missing when it was told of
  };

  // False once enough operations were printed, or nobody is there to read them.
  bool pull() {
    const View view = cost_.pull(scope_, {pull_deadline(options_.timeout), false});
    tally_.add(view, consumer_.names());
    tally_.events += view.records.size() + view.loss.reduced;
    const nanoseconds time = steady_clock::now() - start_;
    const auto told = watch_.observe(view);
    if (told.empty()) watch_.observe_under_way(cost_.pull(newest_, {pull_deadline(options_.timeout), false}));
    for (const CollectiveWatch::Operation& operation : told) {
      if (!options_.total) printer_.print(operation, time);
      is_wrong_ = is_wrong_ || operation.report.state == OperationState::broken;
      if (++operations_ == options_.count) return flush() && false;
    }
    tell_open(time);
    return flush();
  }
  bool flush() { return options_.total || printer_.flush(); }

  // Each when it has been open for long, and again when others are missing.
  void tell_open(nanoseconds time) {
    const auto now = steady_clock::now();
    std::map<Key, Open> still;
    for (const CollectiveWatch::Operation& operation : watch_.open()) {
      if (operation.report.state != OperationState::open) continue;
      const Key key = key_of(operation);
      const auto known = open_.find(key);
      Open& open = still[key] = known == open_.end() ? Open{now} : known->second;
      if (open.told == operation.report.absent || now - open.since < options_.open_after) continue;
      open.told = operation.report.absent;
      if (!options_.total) printer_.print(operation, time, now - open.since);
    }
    open_ = std::move(still);
  }

  // Whether an operation has been open for long.
  bool print_end() {
    const auto now = steady_clock::now();
    bool hangs = false;
    for (const CollectiveWatch::Operation& operation : watch_.open()) {
      const auto known = open_.find(key_of(operation));
      if (known == open_.end() || now - known->second.since < options_.open_after) continue;
      hangs = true;
      if (!options_.total) printer_.print(operation, now - start_, now - known->second.since);
    }
    flush();
    if (options_.total) print_totals(std::cout, options_.format, watch_, options_.most);
    std::cout.flush();
    return hangs;
  }

  // On standard error, so that results stay apart.
  void say_what_was_seen() {
    for (std::size_t i = 0; i < watch_.size(); ++i) {
      const auto& [in_plan, shape, analysis, totals] = watch_.collective(i);
      const CollectiveAnalysis::Counts counts = analysis.counts();
      std::cerr << fmt::format(
          "{}: {} operations complete, {} incomplete ({} records missing), {} unseen, {} broken, {} open at "
          "the "
          "end\n",
          shape.name, totals.complete(), totals.incomplete(), totals.missing_records(), counts.unseen,
          totals.broken(), analysis.open().size());
    }
    tally_.print(std::cerr, steady_clock::now() - start_);
  }

  const CollectivesOptions options_;
  StopSignals signals_;
  Consumer consumer_;
  EventScope scope_;
  EventScope newest_;  // asked only when no operation ends
  CollectiveWatch watch_;
  CollectivePrinter printer_;
  WatchTally tally_;
  WatchCost cost_;
  const steady_clock::time_point start_ = steady_clock::now();
  std::map<Key, Open> open_;
  std::size_t operations_{0};
  bool is_wrong_{false};
};

void add_options(CLI::App& app, CollectivesOptions& options) {
  add_watch_options(app, options, "operations");
  app.add_option("--collective", options.collectives, "Only this collective; may be given again [all]")
      ->type_name("NAME")
      ->expected(1);
  add_duration(app, "--open", options.open_after,
               "An operation that has been open for so long is shown, with who is missing [1s]");
  add_duration(app, "--late", options.analysis.late_after,
               "Records that do not come for so long are no longer waited for [15s]");
  auto* const views = app.add_flag("--views", options.views, "Of each operation also its joints and stages");
  app.add_flag("--total", options.total, "What all operations came to, at the end, instead of each")
      ->excludes(views);
  app.add_option("--most", options.most, "With --total, rows of one kind in the text [10]");
}

}  // namespace

Command collectives_command() {
  return {"collectives",
          "Tells of each collective operation who came last, who waited, and how long its stages took",
          [](CLI::App& app) {
            const auto options = std::make_shared<CollectivesOptions>();
            add_options(app, *options);
            return [options] { return CollectivesMonitor(*options).run(); };
          }};
}

}  // namespace eventspace
