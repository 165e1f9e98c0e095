#include "monitors/requests/when_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "monitors/cli/result_table.h"
#include "monitors/questions/question_options.h"
#include "monitors/requests/request_monitor.h"
#include "monitors/requests/standing_request.h"
#include "tuplespace/system/error.h"

namespace eventspace {
namespace {

struct WhenOptions : RequestOptions {
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

int change(const WhenOptions& options) {
  if (!options.disable.empty()) StandingRequest::enable(options.disable, false);
  if (!options.enable.empty()) StandingRequest::enable(options.enable, true);
  if (!options.remove.empty()) StandingRequest::remove(options.remove);
  return options.list ? list(options.format) : exit_fine;
}

int run(const WhenOptions& options) {
  if (options.is_about_others()) return change(options);
  if (options.pathmap.empty() || options.event.empty())
    throw ConfigurationError(
        "expected a pathmap or session, and an event, as in: eventspace when app.yaml \"verb == 'take'\" "
        "--if "
        "'duration > 20ms' --do print; or --list, --disable, --enable or --delete");
  return stand(options);
}

void add_options(CLI::App& app, WhenOptions& options) {
  add_watch_options(app, options, "events");
  app.get_option("PATHMAP")->required(false);
  app.add_option("EVENT", options.event, "Which events: an expression over their fields");
  app.add_option("--if", options.condition, "Only those for which this expression holds, too [all]")
      ->type_name("EXPR");
  app.add_option(
         "--do", options.actions,
         "What is done: count, print, integrate EXPR, collect on|off|1/N [PROCESSES], stop, continue, or run "
         "COMMAND [count]")
      ->type_name("ACTION")
      ->allow_extra_args(false);
  app.add_option("--name", options.name, "The name of the request, for --disable and the like [when-PID]")
      ->type_name("NAME");
  app.add_flag("--list", options.list, "Lists the requests that stand on this machine");
  app.add_option("--disable", options.disable, "A request that stands passes over events")->type_name("NAME");
  app.add_option("--enable", options.enable, "It takes events again")->type_name("NAME");
  app.add_option("--delete", options.remove, "Ends a request that stands")->type_name("NAME");
  note_scope(app, options.asked);
}

}  // namespace

Command when_command() {
  const CommandGuide guide{
      .group = CommandGroup::steering,
      .examples =
          {{"eventspace when app.yaml 'bytes > 1000' --if 'duration > 20ms' --do print",
            "a line for each operation with so many bytes that lasted longer"},
           {"eventspace when app.yaml 'duration > 1s' --do stop --do 'collect off' --count 1",
            "stops the process of the first operation of a second on each node, and keeps its last events"},
           {"eventspace when --list", "the requests that stand, and how many events each has had"}},
      .statuses = {{exit_unreachable, "nothing was seen, and no pull was whole"}},
      .usages = {"eventspace when PATHMAP EVENT [--if EXPR] [--do ACTION]... [OPTIONS]",
                 "eventspace when --list | --disable NAME | --enable NAME | --delete NAME"}};
  return {"when",
          "Does something when an event comes: count, stop, switch, run a command",
          [](CLI::App& app) {
            const auto options = std::make_shared<WhenOptions>();
            add_options(app, *options);
            return [options] { return run(*options); };
          },
          {},
          guide};
}

}  // namespace eventspace
