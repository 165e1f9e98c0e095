#include "monitors/watching/watch_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "monitors/cli/priority_option.h"
#include "monitors/watching/watched.h"
#include "paths/parameters/parameters.h"

namespace eventspace {

void add_watch_options(CLI::App& app, WatchOptions& options, const std::string& counted) {
  add_watched_or_recorded(app, options.pathmap);
  add_session(app, options.session);
  add_format(app, options.format);
  app.add_option("--scope", options.scope, fmt::format("The scope to pull through [{}]", options.scope))
      ->type_name("NAME");
  add_duration(app, "--interval", options.interval,
               fmt::format("Time between pulls [{}]", format_duration(options.interval)));
  add_duration(app, "--for", options.duration, "Ends after this time [goes on until Ctrl-C]");
  add_at(app, options.played);
  add_pull_timeout(app, options.timeout);
  app.add_option("--count", options.count, fmt::format("Ends after so many {} [no limit]", counted));
  add_priority(app);
  add_cost(app, options.cost);
  app.add_flag("--quiet", options.quiet, "No summary on standard error");
}

}  // namespace eventspace
