#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include <eventspace/error.h>
#include "monitors/budget/budget_keeper.h"
#include "monitors/budget/budget_lines.h"
#include "monitors/cli/colour_option.h"
#include "monitors/cli/command.h"
#include "monitors/collectives/collective_scope.h"
#include "monitors/collectives/command/collectives_monitor.h"
#include "monitors/questions/question_options.h"
#include "monitors/top/terminal/terminal.h"
#include "monitors/watching/watch_session.h"
#include "pathmaps/plan/plan_lookup.h"
#include "pathmaps/questions/question_scope.h"
#include "scopes/tree/newest_of_each.h"

namespace eventspace {
namespace {

// A scope that the user named is opened unchanged, except for --since.
EventScope open_scope(Consumer& consumer, const std::filesystem::path& pathmap,
                      const CollectivesOptions& options, std::optional<std::chrono::nanoseconds> since) {
  const bool is_named = options.scope != CollectivesOptions().scope;
  ScopeTree tree = is_named                       ? require_scope(consumer.plan(), options.scope)
                   : !consumer.plan().has_pathmap ? require_scope(consumer.plan(), "events")
                                                  : collective_scope(pathmap, consumer.plan(), options.views);
  if (!since) return consumer.open(std::move(tree));
  Question question;
  question.since = since;
  return consumer.open(narrowed_scope(std::move(tree), consumer.plan(), question, true));
}

int run(const CollectivesOptions& options, std::optional<std::chrono::nanoseconds> since) {
  const auto kind = top::TerminalKind::of_environment();
  const bool wants_page =
      kind.is_screen && options.format == Format::text && !options.lines && !options.prints_each();
  WatchSession session(options.pathmap, options.session,
                       {options.played.at, since ? Played::Part::end : Played::Part::all}, wants_page);
  const Watched& watched = session.watched;
  Consumer& consumer = session.consumer;
  ScopeViews views(open_scope(consumer, watched.pathmap, options, since));
  const ScopeTree& tree = views.scope().tree();
  ScopeViews newest(consumer.open(newest_of_each(tree)));
  CollectivesMonitor monitor(consumer.plan(), consumer.names(), tree, options, views, newest, *session.time,
                             std::cout);
  std::unique_ptr<DelayWatch> delays;
  if (options.total) delays = DelayWatch::on_paths(consumer, watched.pathmap, {}, since);
  if (delays) monitor.watch_delays(*delays);
  if (wants_page && !session.is_recorded()) monitor.show_on_terminal(session.signals, kind);
  session.require(tree, options.timeout, options.format);
  int budget_status = exit_fine;
  {
    BudgetLines lines;
    BudgetKeeper::Uses uses;
    if (wants_page) uses.say = lines.say();
    BudgetKeeper budget(options.budget, watched, std::move(uses));
    monitor.watch();
    budget_status = budget.status(exit_fine);
  }
  const int status = monitor.conclude(std::cerr, consumer.traffic());
  return status == exit_fine ? budget_status : status;
}

void add_options(CLI::App& app, CollectivesOptions& options, std::optional<std::chrono::nanoseconds>& since) {
  add_watch_options(app, options, "operations");
  app.add_option("--collective", options.collectives,
                 "Show only this collective, or the matching communicators of an MPI job [all]")
      ->type_name("NAME")
      ->expected(1);
  add_since(app, since);
  add_duration(app, "--open", options.open_after,
               "Show operations that have been open for this time, with the missing threads [1s]");
  add_duration(app, "--late", options.analysis.late_after, "Wait at most this long for late records [15s]");
  CLI::Option* const each =
      app.add_flag("--each", options.each, "Print each operation as it ends, instead of a summary");
  CLI::Option* const views =
      app.add_flag("--views", options.views, "Print each operation as it ends, with its joints and stages");
  app.add_flag("--total", options.total,
               "Also print the totals of each thread, node, joint and stage, and of an MPI job's ranks and "
               "messages")
      ->excludes(each)
      ->excludes(views);
  add_limit(app, options.limit);
  app.add_flag("--lines", options.lines, "Print the summary only at the end, as without a terminal");
  add_colour(app, options.colour);
}

}  // namespace

Command collectives_command(const CommandContext& /*context*/) {
  const CommandGuide guide{
      .group = CommandGroup::watching,
      .place = 5,
      .examples = {{"eventspace collectives app.yaml",
                    "which thread comes last how often, and what it costs the others; Ctrl-C ends it"},
                   {"eventspace collectives job --for 1min",
                    "the same of the MPI job of session job, by communicator, operation and call site"},
                   {"eventspace collectives run.evs --total",
                    "of a recording, with the totals of each thread"},
                   {"eventspace collectives app.yaml --each --count 10",
                    "the last thread of each of the next ten operations, and its delay"}},
      .statuses = {{exit_found_wrong, "an operation was broken, or had been open for --open at the end"},
                   {exit_unreachable, "no event was received, and no view was whole"}}};
  return {"collectives",
          "Show which thread comes last to collective operations, and what it costs the others",
          [](CLI::App& app) {
            const auto options = std::make_shared<CollectivesOptions>();
            const auto since = std::make_shared<std::optional<std::chrono::nanoseconds>>();
            add_options(app, *options, *since);
            return [options, since] { return run(*options, *since); };
          },
          guide};
}

}  // namespace eventspace
