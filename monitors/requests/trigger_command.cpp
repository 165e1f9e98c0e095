#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>

#include <eventspace/error.h>
#include "monitors/cli/commands.h"
#include "monitors/cli/result_table.h"
#include "monitors/questions/question_options.h"
#include "monitors/requests/request_monitor.h"
#include "monitors/requests/standing_request.h"

namespace eventspace {
namespace {

struct TriggerOptions : RequestOptions {
  bool list{false};
  std::string disable;
  std::string enable;
  std::string remove;

  [[nodiscard]] bool is_about_others() const {
    return list || !disable.empty() || !enable.empty() || !remove.empty();
  }
};

int list(Format format) {
  ResultTable table({"name", "session", "event", "condition", "actions", "matches", "enabled", "pid"});
  for (const StandingRequest::Listed& each : StandingRequest::all())
    table.add({each.name, each.session, each.event, each.condition, each.actions, each.matches,
               each.is_enabled, each.pid});
  table.print(std::cout, format);
  return exit_fine;
}

int change(const TriggerOptions& options) {
  if (!options.disable.empty()) StandingRequest::enable(options.disable, false);
  if (!options.enable.empty()) StandingRequest::enable(options.enable, true);
  if (!options.remove.empty()) StandingRequest::remove(options.remove);
  return options.list ? list(options.format) : exit_fine;
}

int run(const TriggerOptions& options) {
  if (options.is_about_others()) return change(options);
  if (options.pathmap.empty() || options.event.empty())
    throw ConfigurationError(
        "expected a pathmap or session, and an event, as in: eventspace trigger app.yaml \"verb == 'take'\" "
        "--if "
        "'duration > 20ms' --do print; or --list, --disable, --enable or --delete");
  return stand(options);
}

void add_options(CLI::App& app, TriggerOptions& options) {
  add_watch_options(app, options, "events");
  app.get_option("PATHMAP")->required(false);
  app.add_option("EVENT", options.event, "Condition that selects events");
  app.add_option("--if", options.condition,
                 "Restrict the action to events for which this condition holds, too [all]")
      ->type_name("EXPR");
  app.add_option("--do", options.actions,
                 "Action: count, print, integrate EXPR, collect on|off|1/N [PROCESSES], stop, continue, or "
                 "run COMMAND [count]")
      ->type_name("ACTION")
      ->allow_extra_args(false);
  app.add_option("--name", options.name, "Name of the request [trigger-PID]")->type_name("NAME");
  app.add_flag("--list", options.list, "List the requests on this machine");
  app.add_option("--disable", options.disable, "Make this request ignore events")->type_name("NAME");
  app.add_option("--enable", options.enable, "Make this request handle events again")->type_name("NAME");
  app.add_option("--delete", options.remove, "End this request")->type_name("NAME");
  note_scope(app, options.asked);
}

}  // namespace

Command trigger_command() {
  const CommandGuide guide{
      .group = CommandGroup::steering,
      .examples = {{"eventspace trigger app.yaml 'bytes > 1000' --if 'duration > 20ms' --do print",
                    "prints each large operation that took more than 20 ms"},
                   {"eventspace trigger app.yaml 'duration > 1s' --do stop --do 'collect off' --count 1",
                    "stops the process of the first operation on each node that takes a second, and keeps "
                    "its last events"},
                   {"eventspace trigger --list",
                    "the requests on this machine, and the number of events of each"}},
      .statuses = {{exit_unreachable, "no event was received, and no view was whole"}},
      .usages = {"eventspace trigger PATHMAP EVENT [--if EXPR] [--do ACTION]... [OPTIONS]",
                 "eventspace trigger --list | --disable NAME | --enable NAME | --delete NAME"}};
  return {"trigger", "Act on matching events: count, print, stop, switch, run a command",
          with_options<TriggerOptions>(add_options, run), guide};
}

}  // namespace eventspace
