#include "monitors/events/values_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include "monitors/cli/faulty_pathmap.h"
#include "monitors/cli/stop_signals.h"
#include "monitors/events/value_printer.h"
#include "monitors/watching/watch_cost.h"
#include "monitors/watching/watch_options.h"
#include "monitors/watching/watch_tally.h"
#include "pathmaps/sessions/consumer.h"
#include "tuplespace/system/error.h"

namespace eventspace {
namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

struct ValuesOptions : WatchOptions {
  ValuesOptions() : WatchOptions{.scope = "values", .interval = std::chrono::seconds(1)} {}
  bool total{false};
};

bool makes_values(const ScopeNode& node) {
  if (node.wrapper == "aggregate") return true;
  return std::any_of(node.children.begin(), node.children.end(), makes_values);
}

void check(const ScopeTree& tree, const ValuesOptions& options) {
  if (!makes_values(tree.root)) {
    throw ConfigurationError(
        fmt::format("scope {} makes no values; put the wrapper aggregate on one of its levels", tree.scope));
  }
  if (options.total && !tree.next) {
    throw ConfigurationError(
        fmt::format("--total adds up what the pulls yield; scope {} reads newest events again and again: it "
                    "needs `read: next`",
                    tree.scope));
  }
}

class ValuesMonitor {
 public:
  explicit ValuesMonitor(const ValuesOptions& options)
      : options_(options),
        consumer_(read_pathmap(options.pathmap), options.session),
        scope_(consumer_.open(options.scope)),
        printer_(std::cout, options.format) {
    check(scope_.tree(), options);
  }

  int run() {
    const auto start = steady_clock::now();
    while (pull(start) && !over(start) && !signals_.wait_for(options_.interval)) {
    }
    if (!options_.quiet) tally_.print(std::cerr, steady_clock::now() - start);
    if (options_.cost) cost_.print(std::cerr, consumer_.traffic());
    return tally_.saw_nothing() ? exit_unreachable : exit_fine;
  }

 private:
  [[nodiscard]] bool over(steady_clock::time_point start) const {
    return options_.is_over(start) || (options_.count > 0 && tally_.pulls >= options_.count);
  }

  // False when nobody is there to read them.
  bool pull(steady_clock::time_point start) {
    View view = cost_.pull(scope_, {pull_deadline(options_.timeout), false});
    tally_.add(view, consumer_.names());
    tally_.events += view.loss.reduced;
    const nanoseconds time = steady_clock::now() - start;
    if (!options_.total) return printer_.print(view.aggregates, time);
    merge(totals_, std::move(view.aggregates));
    return printer_.print(totals_, time);
  }

  const ValuesOptions options_;
  StopSignals signals_;
  Consumer consumer_;
  EventScope scope_;
  ValuePrinter printer_;
  std::vector<Aggregate> totals_;
  WatchTally tally_;
  WatchCost cost_;
};

void add_options(CLI::App& app, ValuesOptions& options) {
  add_watch_options(app, options, "pulls");
  app.add_flag("--total", options.total, "The values of all pulls so far together, not of each");
}

}  // namespace

Command values_command() {
  return {"values", "Shows the numbers that a scope makes of events: counts, means, distributions",
          [](CLI::App& app) {
            const auto options = std::make_shared<ValuesOptions>();
            add_options(app, *options);
            return [options] { return ValuesMonitor(*options).run(); };
          }};
}

}  // namespace eventspace
