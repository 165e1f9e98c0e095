#include "monitors/watching/watch_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <eventspace/extend.h>
#include "monitors/cli/priority_option.h"
#include "monitors/watching/watched.h"

namespace eventspace {

void add_watch_options(CLI::App& app, WatchOptions& options, const std::string& counted) {
  add_watched_or_recorded(app, options.pathmap);
  add_session(app, options.session);
  add_format(app, options.format);
  app.add_option("--scope", options.scope, fmt::format("Pull through this scope [{}]", options.scope))
      ->type_name("NAME");
  add_interval(app, options.interval, format_duration(options.interval));
  add_for(app, options.duration);
  add_at(app, options.played);
  add_pull_timeout(app, options.timeout);
  add_count(app, options.count, counted);
  add_priority(app);
  add_verbose(app, options.verbose);
  add_budget(app, options.budget);
  add_quiet(app, options.quiet);
}

}  // namespace eventspace
