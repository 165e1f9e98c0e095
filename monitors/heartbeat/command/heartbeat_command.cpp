#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

#include <eventspace/error.h>
#include "monitors/archive/stall_snapshot.h"
#include "monitors/budget/budget_keeper.h"
#include "monitors/cli/checked_values.h"
#include "monitors/cli/colour_option.h"
#include "monitors/cli/command.h"
#include "monitors/cli/options.h"
#include "monitors/cli/priority_option.h"
#include "monitors/heartbeat/culprit_stacks.h"
#include "monitors/heartbeat/element_fills.h"
#include "monitors/heartbeat/heartbeat_monitor.h"
#include "monitors/questions/question_options.h"
#include "monitors/text/plain_output.h"
#include "monitors/watching/reach.h"
#include "monitors/watching/view_source.h"
#include "monitors/watching/watch_session.h"
#include "monitors/web/report/stall_report.h"

namespace eventspace {
namespace {

struct HeartbeatOptions {
  std::filesystem::path pathmap;
  std::string session;
  std::string scope = "heartbeat";
  AskedScope asked{.name = "heartbeat", .newest = true};
  HeartbeatMonitor::Settings settings;
  ColourUse colour{ColourUse::automatic};
  Played played{};
  std::filesystem::path snapshot;  ///< empty means none
  std::filesystem::path report;    ///< the same
  std::string program;
  Budget budget{};
  bool once{false};
  bool verbose{false};
  bool has_stacks{false};
};

void require_stacks(const Watched& watched) {
  if (watched.recorded != nullptr)
    throw ConfigurationError("--stack needs a running session; a recording does not contain stacks");
  if (!can_unwind()) throw EnvironmentError("--stack needs a build with elfutils (Debian: libdw-dev)");
}

// Sets `report`, which the caller writes, as reading its recording handles signals anew.
int watch(const HeartbeatOptions& options, std::optional<web::StallReport>& report) {
  WatchSession session(options.pathmap, options.session,
                       {options.played.at, options.once ? Played::Part::moment : Played::Part::all});
  const Watched& watched = session.watched;
  Consumer& consumer = session.consumer;
  if (options.has_stacks) require_stacks(watched);
  std::optional<StallSnapshot> snapshot;
  if (!options.snapshot.empty()) snapshot.emplace(watched, options.snapshot, options.program);
  if (!options.report.empty()) report.emplace(watched, options.report, options.program);
  ScopeViews views(open_asked(consumer, watched.pathmap, options.asked), options.asked.question.threads,
                   consumer.names());
  const EventScope& scope = views.scope();
  HeartbeatMonitor::Settings settings = options.settings;
  settings.has_colour = wants_colour(options.colour);
  settings.judges_jobs = options.asked.question.is_empty();
  // The servers of a pathmap stay, and the application may be started again.
  settings.until_end = !session.is_recorded() && !watched.plan->has_pathmap;
  std::optional<ScopeViews> past;  // the past of an MPI job; pulled only when a call takes long
  if (!watched.plan->has_pathmap) past.emplace(consumer.open("events"));
  AskedFills fills(watched.plan, consumer.session());
  HeartbeatMonitor monitor(consumer.plan(), consumer.names(), scope.tree(), scope.timeout(), settings, views,
                           *session.time, std::cout, session.is_recorded() ? nullptr : &fills,
                           past ? &*past : nullptr);
  std::unique_ptr<DelayWatch> delays;
  if (options.asked.question.is_empty())
    delays =
        DelayWatch::on_paths(consumer, watched.pathmap, {.is_paced = !session.is_recorded(), .fades = true});
  if (delays) monitor.watch_delays(*delays);
  StacksHere stacks;
  if (options.has_stacks) monitor.show_stacks(stacks);
  session.require(scope.tree(), settings.pace.timeout, settings.format);
  int budget_status = exit_fine;
  if (options.once) {
    monitor.look_once();
  } else {
    if (const auto complaint = monitor.pace().complaint()) std::cerr << "heartbeat: " << *complaint << '\n';
    BudgetKeeper budget(options.budget, watched);
    monitor.watch();
    budget_status = budget.status(exit_fine);
    if (snapshot && monitor.report().stalled > 0) snapshot->take(consumer);
    if (report && monitor.report().stalled > 0) report->take(consumer);
  }
  monitor.conclude(std::cerr, options.verbose, consumer.traffic());  // standard output has only results
  const auto has_not_started = [](const ThreadHealth& health) {
    return health.verdict == Verdict::not_started;
  };
  if (monitor.report().gone_processes == 0 && std::ranges::all_of(monitor.report().threads, has_not_started))
    print_message(next_step(Found::no_process, session.is_recorded(), {options.pathmap, options.session}));
  return monitor.report().stalled > 0 ? exit_found_wrong : budget_status;
}

int run(const HeartbeatOptions& options) {
  std::optional<web::StallReport> report;
  const int status = watch(options, report);
  if (report) report->write(options.settings.pace);
  return status;
}

void add_options(CLI::App& app, HeartbeatOptions& options) {
  add_watched_or_recorded(app, options.pathmap);
  add_session(app, options.session);
  add_format(app, options.settings.format);
  app.add_option("--scope", options.scope, "Pull through this scope [heartbeat]")->type_name("NAME");
  note_scope(app, options.asked);
  add_whose_events(app, options.asked.question);
  add_duration(app, "--stall", options.settings.pace.stall,
               "Report a thread as stalled after this time without events [2s]");
  add_interval(app, options.settings.pace.interval, "half of --stall, at most 1s");
  add_pull_timeout(app, options.settings.pace.timeout);
  add_count(app, options.settings.count, "pulls");
  CLI::Option* const duration = add_for(app, options.settings.duration);
  add_at(app, options.played);
  CLI::Option* const once = add_once(app, options.once);
  CLI::Option* const until_stall =
      app.add_flag("--until-stall", options.settings.until_stall, "Stop when a thread is stalled")
          ->excludes(once);
  app.add_option("--snapshot", options.snapshot,
                 "With --until-stall: write the trace elements at the stall to this recording")
      ->type_name("FILE")
      ->needs(until_stall);
  app.add_option("--report", options.report,
                 "With --until-stall: write the same as a page in one file, for a browser")
      ->type_name("FILE")
      ->needs(until_stall);
  duration->excludes(once);
  app.add_flag("--stack", options.has_stacks, "Show the call stacks of threads that others wait for");
  add_colour(app, options.colour);
  add_priority(app);
  add_verbose(app, options.verbose);
  add_budget(app, options.budget);
  add_choice(app, "--list", options.settings.listing,
             {{"none", HeartbeatListing::none},
              {"stalled", HeartbeatListing::stalled},
              {"all", HeartbeatListing::all}},
             "List these threads in text [stalled]");
}

}  // namespace

Command heartbeat_command(const CommandContext& context) {
  const BuildInfo& build = context.build;
  const CommandGuide guide{
      .group = CommandGroup::watching,
      .place = 1,
      .examples = {{"eventspace heartbeat app.yaml", "a line for each pull, and each thread that is stalled"},
                   {"eventspace heartbeat app.yaml --once --list all", "every thread, once"},
                   {"eventspace heartbeat app.yaml --until-stall --stall 10s --format json",
                    "for a script that waits for a stall"},
                   {"eventspace heartbeat app.yaml --until-stall --stack",
                    "shows where in its code a stuck program waits"},
                   {"eventspace heartbeat app.yaml --until-stall --snapshot hang.evs",
                    "keeps the events before the stall"},
                   {"eventspace heartbeat app.yaml --until-stall --report hang.html",
                    "shows them and the verdict in any browser"}},
      .statuses = {{exit_found_wrong, "a thread was stalled at the last pull"}}};
  return {"heartbeat",
          "Show the last event of each thread, its operation in flight, and whether it is stalled",
          [version = build.version](CLI::App& app) {
            const auto options = std::make_shared<HeartbeatOptions>();
            options->program = "eventspace " + version;
            add_options(app, *options);
            return [options] { return run(*options); };
          },
          guide};
}

}  // namespace eventspace
