#include "monitors/drawing/draw_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <utility>

#include <eventspace/error.h>
#include "monitors/cli/checked_values.h"
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
#include "monitors/text/counted.h"
#include "monitors/watching/reach.h"
#include "monitors/watching/view_source.h"
#include "monitors/watching/watch_loop.h"
#include "monitors/watching/watch_pulls.h"
#include "pathmaps/plan/plan_lookup.h"
#include "pathmaps/sessions/consumer.h"
#include "paths/parameters/glob.h"

namespace eventspace {
namespace {

using std::chrono::nanoseconds;

struct DrawOptions {
  std::filesystem::path pathmap;
  std::string session;
  std::string scope;
  std::string collective;
  std::filesystem::path output;
  PathsView paths;
  MetricPicture metric;
  bool apart{false};
  nanoseconds layout_time = std::chrono::seconds(60);
  bool live{false};
  nanoseconds duration = std::chrono::seconds(2);
  nanoseconds interval = std::chrono::milliseconds(100);
  nanoseconds timeout{0};  // 0 means the time-out of the scope
};

void require_figures(const ScopeFigures& figures, const std::string& scope) {
  if (!figures.are_empty()) return;
  throw EnvironmentError(fmt::format("nothing was read through scope {} in {}: {}", scope,
                                     counted(figures.pulls(), "pull"), fmt::join(figures.missing(), ", ")));
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
  require_servers(consumer, views.scope().tree(), {options.pathmap, options.session}, options.timeout);
  ScopeFigures figures(*plan, views.scope().tree());
  WatchPulls pulls(time, consumer.names());
  WatchLoop loop(time);
  pull_for_a_while(loop, options, [&] {
    const View view = pulls.pull(views, {.deadline = pull_deadline(options.timeout)});
    figures.add(view, pulls.cost().last_pull());
  });
  figures.finish(loop.elapsed(), consumer.traffic());
  require_figures(figures, options.scope);
  return figures;
}

Siblings siblings_of(const DrawOptions& options) {
  return options.apart ? Siblings::apart : Siblings::together;
}

// As measure(), for the operations of a collective.
std::string measure_collective(const std::shared_ptr<const Plan>& plan, const DrawOptions& options) {
  StopSignals signals;
  RealTime time(signals);
  Consumer consumer(plan, options.session);
  ScopeViews views(consumer.open(collective_scope(options.pathmap, *plan)));
  require_servers(consumer, views.scope().tree(), {options.pathmap, options.session}, options.timeout);
  CollectiveWatch watch(*plan, consumer.names(), views.scope().tree(), {options.collective});
  WatchPulls pulls(time, consumer.names());
  WatchLoop loop(time);
  pull_for_a_while(loop, options, [&] {
    const View view = pulls.pull(views, {.deadline = pull_deadline(options.timeout)});
    watch.observe(view, loop.now());
  });
  const auto& measured = watch.collective(0);
  if (measured.totals.complete() + measured.totals.incomplete() == 0)
    throw EnvironmentError(fmt::format("no operation of collective {} was seen", options.collective));
  return draw_collective(*plan, measured.shape, measured.totals, siblings_of(options));
}

std::string draw_collective_text(const std::shared_ptr<const Plan>& plan, const DrawOptions& options) {
  if (options.live) return measure_collective(plan, options);
  return draw_collective(*plan, shape_of(*plan, require_collective(*plan, options.collective), {}),
                         siblings_of(options));
}

// Refuses graphs that Graphviz would lay out for minutes as a picture of many metres.
void check_size(const Plan& plan, const DrawOptions& options) {
  constexpr std::size_t max_paths = 400;
  const std::size_t paths = count_single_paths(plan, options.paths);
  const bool is_picture = !options.output.empty() && options.output.extension() != ".dot";
  if (!is_picture || paths <= max_paths) return;
  throw ConfigurationError(fmt::format(
      "--threads all would draw {} one by one; more than {} do not fit on a page, and their layout takes "
      "minutes. --threads grouped draws threads with the same paths as one; --only GLOB draws the paths "
      "of some threads; -o F.dot writes the graph without a layout",
      counted(paths, "path"), max_paths));
}

std::string draw_paths_text(const Plan& plan, const DrawOptions& options) {
  const std::string& only = options.paths.only;
  if (!only.empty() && !glob_fault(only).empty())
    throw ConfigurationError(fmt::format("--only '{}': {}", only, glob_fault(only)));
  const auto is_chosen = [&only](const ThreadPlan& thread) { return glob_match(only, thread.name); };
  if (!only.empty() && std::ranges::none_of(plan.threads, is_chosen))
    throw ConfigurationError(fmt::format("--only '{}' matches none of the {} of pathmap {}", only,
                                         counted(plan.thread_count(), "thread"), plan.name));
  PathsView view = options.paths;
  if (!only.empty() && view.detail == ThreadDetail::collapsed) view.detail = ThreadDetail::grouped;
  check_size(plan, options);
  return draw_paths(plan, view);
}

std::string draw_metric_text(const std::shared_ptr<const Plan>& plan, const DrawOptions& options,
                             const DrawMetric& draw_metric) {
  const std::string& objects = options.metric.objects;
  if (!objects.empty() && !glob_fault(objects).empty())
    throw ConfigurationError(fmt::format("--objects '{}': the pattern {}", objects, glob_fault(objects)));
  return draw_metric(plan, options.metric);
}

std::string draw_text(const std::shared_ptr<const Plan>& plan, const DrawOptions& options,
                      const DrawMetric& draw_metric) {
  if (!options.metric.metric.empty()) return draw_metric_text(plan, options, draw_metric);
  if (!options.collective.empty()) return draw_collective_text(plan, options);
  if (options.scope.empty() && options.live)
    throw ConfigurationError(
        "--live measures a scope or a collective: it needs --scope or --collective NAME");
  if (options.scope.empty()) return draw_paths_text(*plan, options);
  const ScopeTree& scope = require_scope(*plan, options.scope);
  return options.live ? draw_scope(*plan, scope, measure(plan, options)) : draw_scope(*plan, scope);
}

// On a terminal, the graph is text that few users want to read.
void say_how_to_get_a_picture() {
  if (::isatty(STDOUT_FILENO) == 0) return;
  std::cout.flush();
  std::cerr
      << "draw: this is the graph in Graphviz' language; -o FILE.svg, .png or .pdf makes a picture of it\n";
}

int draw(const DrawOptions& options, const DrawMetric& draw_metric) {
  const std::string dot = draw_text(read_pathmap(options.pathmap), options, draw_metric);
  if (options.output.empty()) {
    std::cout << dot;
    say_how_to_get_a_picture();
  } else {
    render_graph(dot, options.output, options.layout_time);
  }
  return exit_fine;
}

void add_metric_options(CLI::App& app, DrawOptions& options) {
  auto* const metric = app.add_option("--metric", options.metric.metric, "Draw a graph of this metric")
                           ->type_name("METRIC")
                           ->excludes(app.get_option("--scope"))
                           ->excludes(app.get_option("--collective"));
  app.add_option("--file", options.metric.files, "With --metric: read more metrics from this file")
      ->type_name("FILE")
      ->needs(metric);
  app.add_option("--objects", options.metric.objects,
                 "With --metric: only objects whose names match, for its first parameter [all]")
      ->type_name("GLOB")
      ->needs(metric);
  add_choice(app, "--graph", options.metric.graph,
             {{"tree", MetricGraph::tree},
              {"dag", MetricGraph::dag},
              {"shared", MetricGraph::shared},
              {"defined", MetricGraph::defined},
              {"dataflow", MetricGraph::dataflow},
              {"parts", MetricGraph::parts}},
             "With --metric: draw it as written, with shared leaves, without common subexpressions, for the "
             "objects of the pathmap, as a dataflow, or by the places of evaluation [parts]");
}

void add_options(CLI::App& app, DrawOptions& options) {
  add_pathmap(app, options.pathmap);
  add_session(app, options.session);
  auto* const scope =
      app.add_option("--scope", options.scope, "Draw the gather tree of this scope [the application's paths]")
          ->type_name("NAME");
  app.add_option("--collective", options.collective, "Draw the tree of this collective")
      ->type_name("NAME")
      ->excludes(scope);
  add_metric_options(app, options);
  app.add_option("-o,--output", options.output,
                 "Write to this file: .svg, .png, .pdf or .dot [Graphviz' language on standard output]")
      ->type_name("FILE");
  add_choice(app, "--threads", options.paths.detail,
             {{"collapsed", ThreadDetail::collapsed},
              {"grouped", ThreadDetail::grouped},
              {"all", ThreadDetail::all}},
             "Draw processes, threads with the same paths, or all threads, elements and paths [collapsed, "
             "with --only grouped]");
  app.add_option("--only", options.paths.only,
                 "Draw only the paths of matching threads, and of the threads at their other ends [all]")
      ->type_name("GLOB")
      ->excludes(scope);
  app.add_flag("--apart", options.apart,
               "With --collective: draw a box for each joint, even if many are alike");
  add_duration(app, "--layout-time", options.layout_time, "Wait at most this long for Graphviz [60s]");
  app.add_flag("--live", options.live, "Pull for a while, and draw the measured times");
  add_duration(app, "--for", options.duration, "With --live: stop after this time [2s]");
  add_duration(app, "--interval", options.interval, "With --live: time between pulls [100ms]");
  add_pull_timeout(app, options.timeout);
  add_priority(app);
}

}  // namespace

Command make_draw_command(DrawMetric draw_metric) {
  const CommandGuide guide{
      .group = CommandGroup::pathmaps,
      .place = 2,
      .examples = {{"eventspace draw app.yaml -o app.svg",
                    "the nodes, their processes, and the paths between them"},
                   {"eventspace draw app.yaml --scope heartbeat --live -o heartbeat.svg",
                    "where a scope takes its time"},
                   {"eventspace draw app.yaml --metric Mean_iteration_time -o metric.svg",
                    "which parts of a metric servers evaluate"}},
      .statuses = {{exit_unreachable, "--live received no event, or the picture could not be written"}}};
  return {"draw", "Draw the paths, a scope, a collective or a metric, mapped to the nodes",
          [draw_metric = std::move(draw_metric)](CLI::App& app) {
            const auto options = std::make_shared<DrawOptions>();
            add_options(app, *options);
            return [options, draw_metric] { return draw(*options, draw_metric); };
          },
          guide};
}

}  // namespace eventspace
