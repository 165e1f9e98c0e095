#include "monitors/collectives/collectives_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "monitors/cli/stop_signals.h"
#include "monitors/collectives/collective_scope.h"
#include "monitors/collectives/collectives_monitor.h"
#include "monitors/watching/newest_of_each.h"
#include "monitors/watching/reach.h"
#include "monitors/watching/watched.h"
#include "pathmaps/sessions/consumer.h"
#include "tuplespace/system/error.h"

namespace eventspace {
namespace {

// A scope that the user named is opened unchanged.
EventScope open_scope(Consumer& consumer, const CollectivesOptions& options) {
  if (options.scope != CollectivesOptions().scope) return consumer.open(options.scope);
  return consumer.open(collective_scope(options.pathmap, consumer.plan(), options.views));
}

int run(const CollectivesOptions& options) {
  StopSignals signals;
  RealTime time(signals);
  const Watched watched = find_watched(options.pathmap, options.session);
  if (!watched.plan->has_pathmap) {
    throw ConfigurationError(
        fmt::format("session {} has no pathmap, and so no collective operations", watched.plan->name));
  }
  Consumer consumer(watched.plan, watched.session);
  ScopeViews views(open_scope(consumer, options));
  const ScopeTree& tree = views.scope().tree();
  ScopeViews newest(consumer.open(newest_of_each(tree)));
  CollectivesMonitor monitor(consumer.plan(), consumer.names(), tree, options, views, newest, time,
                             std::cout);
  require_servers(consumer, tree, {options.pathmap, options.session}, options.timeout);
  monitor.watch();
  return monitor.conclude(std::cerr, consumer.traffic());
}

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
  app.add_option("--most", options.most, "With --total, rows of one kind in the text; 0: all [10]");
}

}  // namespace

Command collectives_command() {
  const CommandGuide guide{
      .group = CommandGroup::watching,
      .examples = {{"eventspace collectives app.yaml --count 10",
                    "the next ten operations: which thread came last, and by how much"},
                   {"eventspace collectives app.yaml --total --for 1min",
                    "the threads that cost the others most"}},
      .statuses = {{exit_found_wrong, "an operation was broken, or had been open for --open at the end"},
                   {exit_unreachable, "nothing was seen, and no pull was whole"}}};
  return {"collectives",
          "Shows which thread came last to each collective operation, and how long its stages took",
          [](CLI::App& app) {
            const auto options = std::make_shared<CollectivesOptions>();
            add_options(app, *options);
            return [options] { return run(*options); };
          },
          {},
          guide};
}

}  // namespace eventspace
