#include "monitors/heartbeat/heartbeat_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "monitors/cli/options.h"
#include "monitors/cli/plain_output.h"
#include "monitors/cli/stop_signals.h"
#include "monitors/heartbeat/element_fills.h"
#include "monitors/heartbeat/heartbeat_monitor.h"
#include "monitors/watching/reach.h"
#include "monitors/watching/watched.h"
#include "pathmaps/sessions/consumer.h"

namespace eventspace {
namespace {

struct HeartbeatOptions {
  std::filesystem::path pathmap;
  std::string session;
  std::string scope = "heartbeat";
  HeartbeatMonitor::Settings settings;
  bool once{false};
  bool cost{false};
};

int run(const HeartbeatOptions& options) {
  StopSignals signals;
  RealTime time(signals);
  const Watched watched = find_watched(options.pathmap, options.session);
  Consumer consumer(watched.plan, watched.session);
  ScopeViews views(consumer.open(options.scope));
  const EventScope& scope = views.scope();
  AskedFills fills(watched.plan, consumer.session());
  HeartbeatMonitor monitor(consumer.plan(), consumer.names(), scope.tree(), scope.timeout(), options.settings,
                           views, time, std::cout, &fills);
  require_servers(consumer, scope.tree(), {options.pathmap, options.session}, options.settings.pace.timeout);
  if (options.once) {
    monitor.look_once();
  } else {
    if (const auto complaint = monitor.pace().complaint()) std::cerr << "heartbeat: " << *complaint << '\n';
    monitor.watch();
    monitor.print_rate(std::cerr);  // not to standard output, which has only results
  }
  if (options.cost) monitor.cost().print(std::cerr, consumer.traffic());
  const auto has_not_started = [](const ThreadHealth& health) {
    return health.verdict == Verdict::not_started;
  };
  if (std::ranges::all_of(monitor.report().threads, has_not_started))
    print_message(next_step(false, {options.pathmap, options.session}));
  return monitor.report().stalled > 0 ? exit_found_wrong : exit_fine;
}

void add_options(CLI::App& app, HeartbeatOptions& options) {
  static const std::map<std::string, Listing> listings{
      {"none", Listing::none}, {"stalled", Listing::stalled}, {"all", Listing::all}};
  add_watched(app, options.pathmap);
  add_session(app, options.session);
  add_format(app, options.settings.format);
  app.add_option("--scope", options.scope, "The scope to pull through [heartbeat]")->type_name("NAME");
  add_duration(app, "--stall", options.settings.pace.stall, "No event for so long is a stall [2s]");
  add_duration(app, "--interval", options.settings.pace.interval,
               "Time from pull to pull [half of --stall, at most 1s]");
  add_pull_timeout(app, options.settings.pace.timeout);
  app.add_option("--count", options.settings.count, "Ends after so many pulls [0: goes on until Ctrl-C]");
  CLI::Option* const once = app.add_flag("--once", options.once, "Looks once, a quarter of a second long");
  app.add_flag("--until-stall", options.settings.until_stall, "Ends as soon as a thread is stalled")
      ->excludes(once);
  add_cost(app, options.cost);
  app.add_option("--list", options.settings.listing,
                 "Which threads the text lists: none, stalled or all [stalled]")
      ->transform(CLI::CheckedTransformer(listings))
      ->type_name("WHICH");
}

}  // namespace

Command heartbeat_command() {
  return {"heartbeat",
          "Shows the last event of each thread, the operation in flight, and whether it is stalled",
          [](CLI::App& app) {
            const auto options = std::make_shared<HeartbeatOptions>();
            add_options(app, *options);
            return [options] { return run(*options); };
          }};
}

}  // namespace eventspace
