#include "monitors/drawing/draw_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <map>
#include <memory>
#include <utility>

#include "monitors/cli/faulty_pathmap.h"
#include "monitors/cli/options.h"
#include "monitors/cli/priority_option.h"
#include "monitors/cli/stop_signals.h"
#include "monitors/collectives/collective_plan.h"
#include "monitors/collectives/collective_scope.h"
#include "monitors/collectives/collective_watch.h"
#include "monitors/drawing/draw_collective.h"
#include "monitors/drawing/drawing.h"
#include "monitors/drawing/graphviz.h"
#include "monitors/watching/plan_lookup.h"
#include "monitors/watching/view_source.h"
#include "monitors/watching/watch_cost.h"
#include "monitors/watching/watch_loop.h"
#include "pathmaps/sessions/consumer.h"
#include "tuplespace/system/error.h"

namespace eventspace {
namespace {

using std::chrono::nanoseconds;

struct DrawOptions {
  std::filesystem::path pathmap;
  std::string session;
  std::string scope;
  std::string collective;
  std::filesystem::path output;
  ThreadDetail threads{ThreadDetail::collapsed};
  bool live{false};
  nanoseconds duration = std::chrono::seconds(2);
  nanoseconds interval = std::chrono::milliseconds(100);
  nanoseconds timeout{0};  // 0: the time-out of the scope
};

void require_figures(const ScopeFigures& figures, const std::string& scope) {
  if (!figures.are_empty()) return;
  throw EnvironmentError(fmt::format("nothing was read through scope {} in {} pulls: {}", scope,
                                     figures.pulls(), fmt::join(figures.missing(), ", ")));
}

/// Pulls at least once, and again after each pause until the time is up.
template <class PullOnce>
void pull_for_a_while(WatchLoop& loop, const DrawOptions& options, const PullOnce& pull) {
  bool is_first = true;
  loop.run([&]() -> WatchLoop::Pause {
    if (!std::exchange(is_first, false) && loop.elapsed() >= options.duration) return std::nullopt;
    pull();
    return options.interval;
  });
}

// Pulls through the scope for a while. Ctrl-C ends that earlier; the drawing shows the figures until then.
ScopeFigures measure(const std::shared_ptr<const Plan>& plan, const DrawOptions& options) {
  StopSignals signals;
  RealTime time(signals);
  Consumer consumer(plan, options.session);
  ScopeViews views(consumer.open(options.scope));
  ScopeFigures figures(*plan, views.scope().tree());
  WatchCost cost;
  WatchLoop loop(time);
  pull_for_a_while(loop, options, [&] {
    const View view = cost.pull(views, {pull_deadline(options.timeout), false, loop.now()});
    figures.add(view, cost.last_pull());
  });
  figures.finish(loop.elapsed(), consumer.traffic());
  require_figures(figures, options.scope);
  return figures;
}

// As measure(), for the operations of a collective.
std::string measure_collective(const std::shared_ptr<const Plan>& plan, const DrawOptions& options) {
  StopSignals signals;
  RealTime time(signals);
  Consumer consumer(plan, options.session);
  ScopeViews views(consumer.open(collective_scope(options.pathmap, *plan)));
  CollectiveWatch watch(*plan, consumer.names(), views.scope().tree(), {options.collective});
  WatchLoop loop(time);
  pull_for_a_while(loop, options, [&] {
    const View view = views.pull({pull_deadline(options.timeout), false, loop.now()});
    watch.observe(view, loop.now());
  });
  const auto& measured = watch.collective(0);
  if (measured.totals.complete() + measured.totals.incomplete() == 0)
    throw EnvironmentError(fmt::format("no operation of collective {} was seen", options.collective));
  return draw_collective(*plan, measured.shape, measured.totals);
}

std::string draw_collective_text(const std::shared_ptr<const Plan>& plan, const DrawOptions& options) {
  if (options.live) return measure_collective(plan, options);
  return draw_collective(*plan, shape_of(*plan, require_collective(*plan, options.collective), {}));
}

std::string draw_text(const std::shared_ptr<const Plan>& plan, const DrawOptions& options) {
  if (!options.collective.empty()) return draw_collective_text(plan, options);
  if (options.scope.empty() && options.live)
    throw ConfigurationError(
        "--live measures a scope or a collective: it needs --scope or --collective NAME");
  if (options.scope.empty()) return draw_paths(*plan, options.threads);
  const ScopeTree& scope = require_scope(*plan, options.scope);
  return options.live ? draw_scope(*plan, scope, measure(plan, options)) : draw_scope(*plan, scope);
}

int draw(const DrawOptions& options) {
  const std::string dot = draw_text(read_pathmap(options.pathmap), options);
  if (options.output.empty()) {
    std::cout << dot;
  } else {
    render_graph(dot, options.output);
  }
  return exit_fine;
}

void add_options(CLI::App& app, DrawOptions& options) {
  static const std::map<std::string, ThreadDetail> details{{"collapsed", ThreadDetail::collapsed},
                                                           {"all", ThreadDetail::all}};
  add_pathmap(app, options.pathmap);
  add_session(app, options.session);
  auto* const scope = app.add_option("--scope", options.scope, "The scope to draw [the application's paths]")
                          ->type_name("NAME");
  app.add_option("--collective", options.collective, "The collective to draw, its tree")
      ->type_name("NAME")
      ->excludes(scope);
  app.add_option("-o,--output", options.output,
                 "The file: .svg, .png, .pdf or .dot [Graphviz' language on standard output]")
      ->type_name("FILE");
  app.add_option("--threads", options.threads,
                 "collapsed to ranges, or all, with every element and path [collapsed]")
      ->transform(CLI::CheckedTransformer(details))
      ->type_name("HOW");
  app.add_flag("--live", options.live, "Pulls through the scope for a while, and draws what that took where");
  add_duration(app, "--for", options.duration, "With --live: how long [2s]");
  add_duration(app, "--interval", options.interval, "With --live: time between pulls [100ms]");
  add_pull_timeout(app, options.timeout);
  add_priority(app);
}

}  // namespace

Command draw_command() {
  return {"draw", "Draws the paths, a scope or the tree of a collective, mapped to the nodes",
          [](CLI::App& app) {
            const auto options = std::make_shared<DrawOptions>();
            add_options(app, *options);
            return [options] { return draw(*options); };
          }};
}

}  // namespace eventspace
