#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "monitors/commands.h"
#include "monitors/event_printer.h"
#include "monitors/faulty_pathmap.h"
#include "monitors/options.h"
#include "monitors/record_clocks.h"
#include "monitors/stop_signals.h"
#include "monitors/watch_cost.h"
#include "monitors/watch_tally.h"
#include "pathmaps/consumer.h"
#include "paths/glob.h"
#include "tuplespace/error.h"

namespace eventspace {
namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

struct EventsOptions {
  std::filesystem::path pathmap;
  std::string session;
  std::string scope = "events";
  std::string threads = "**";
  nanoseconds interval = std::chrono::milliseconds(100);
  nanoseconds duration{0};
  nanoseconds timeout{0};  // the scope's
  std::size_t count{0};
  bool quiet{false};
  bool cost{false};
  Format format{Format::text};
};

class EventsMonitor {
 public:
  explicit EventsMonitor(const EventsOptions& options)
      : options_(options),
        consumer_(read_pathmap(options.pathmap), options.session),
        scope_(consumer_.open(options.scope)),
        clocks_(consumer_.names()),
        printer_(std::cout, options.format, clocks_, consumer_.names()) {
    if (!glob_fault(options.threads).empty()) {
      throw ConfigurationError(
          fmt::format("--threads '{}': {}", options.threads, glob_fault(options.threads)));
    }
  }

  int run() {
    const auto start = steady_clock::now();
    while (pull() && !over(start) && !signals_.wait_for(options_.interval)) {
    }
    if (!options_.quiet) tally_.print(std::cerr, steady_clock::now() - start);
    if (options_.cost) cost_.print(std::cerr, consumer_.traffic());
    return tally_.saw_nothing() ? exit_unreachable : exit_fine;
  }

 private:
  [[nodiscard]] bool over(steady_clock::time_point start) const {
    return options_.duration.count() > 0 && steady_clock::now() - start >= options_.duration;
  }

  // False once enough events were printed, or nobody is there to read them.
  bool pull() {
    const View view = cost_.pull(scope_, {pull_deadline(options_.timeout), false});
    tally_.add(view);
    clocks_.learn(view);
    for (const TraceTuple& tuple : view.records) {
      const EventRecord record = decode(tuple);
      if (!glob_match(options_.threads, consumer_.names().thread_name(record.thread))) continue;
      printer_.print(record);
      if (++tally_.events == options_.count) return printer_.flush() && false;
    }
    return printer_.flush();
  }

  const EventsOptions options_;
  StopSignals signals_;
  Consumer consumer_;
  EventScope scope_;
  RecordClocks clocks_;
  EventPrinter printer_;
  WatchTally tally_;
  WatchCost cost_;
};

void add_options(CLI::App& app, EventsOptions& options) {
  add_pathmap(app, options.pathmap);
  add_session(app, options.session);
  add_format(app, options.format);
  app.add_option("--scope", options.scope, "The scope to pull through [events]")->type_name("NAME");
  app.add_option("--threads", options.threads, "Only threads whose name matches [**]")->type_name("GLOB");
  add_duration(app, "--interval", options.interval, "Time between pulls [100ms]");
  add_duration(app, "--for", options.duration, "Ends after this time [goes on until Ctrl-C]");
  add_pull_timeout(app, options.timeout);
  app.add_option("--count", options.count, "Ends after so many events [no limit]");
  add_cost(app, options.cost);
  app.add_flag("--quiet", options.quiet, "No summary on standard error");
}

}  // namespace

Command events_command() {
  return {"events", "Shows the virtual events of a view, as they come", [](CLI::App& app) {
            const auto options = std::make_shared<EventsOptions>();
            add_options(app, *options);
            return [options] { return EventsMonitor(*options).run(); };
          }};
}

}  // namespace eventspace
