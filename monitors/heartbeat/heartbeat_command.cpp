#include "monitors/heartbeat/heartbeat_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "monitors/cli/faulty_pathmap.h"
#include "monitors/cli/options.h"
#include "monitors/cli/stop_signals.h"
#include "monitors/heartbeat/heartbeat_pace.h"
#include "monitors/heartbeat/heartbeat_printer.h"
#include "monitors/watching/watch_cost.h"
#include "pathmaps/sessions/consumer.h"

namespace eventspace {
namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

struct HeartbeatOptions {
  std::filesystem::path pathmap;
  std::string session;
  std::string scope = "heartbeat";
  HeartbeatPace::Wishes pace;
  std::size_t count{0};
  bool once{false};
  bool until_stall{false};
  bool cost{false};
  Listing listing{Listing::stalled};
  Format format{Format::text};
};

// On standard error, so that results stay apart.
void tell_rate(std::size_t pulls, std::size_t partial, nanoseconds elapsed) {
  const double seconds = std::max(std::chrono::duration<double>(elapsed).count(), 1e-9);
  std::cerr << fmt::format("{} pulls in {:.1f} s ({:.1f} a second), {} of them partial\n", pulls, seconds,
                           static_cast<double>(pulls) / seconds, partial);
}

int watch(const HeartbeatOptions& options) {
  StopSignals signals;
  Consumer consumer(read_pathmap(options.pathmap), options.session);
  EventScope scope = consumer.open(options.scope);
  HeartbeatAnalysis analysis(consumer.plan(), scope.tree(), options.pace.stall);
  HeartbeatPrinter printer(std::cout, options.format, options.listing, consumer.names());
  HeartbeatPace pace(options.pace, scope.timeout());
  if (const auto complaint = pace.complaint()) std::cerr << "heartbeat: " << *complaint << '\n';
  WatchCost cost;
  const auto start = steady_clock::now();
  HealthReport report;
  std::size_t partial = 0;
  std::size_t pulls = 1;
  for (;; ++pulls) {
    const auto begun = steady_clock::now();
    const View view = cost.pull(scope, {Deadline::after(pace.timeout()), true});
    const auto now = steady_clock::now();
    pace.pulled(begun, view);
    report = analysis.observe(view, now);
    partial += view.missing.empty() ? 0 : 1;
    printer.print(report, view, now - start);
    const bool enough = options.count != 0 && pulls >= options.count;
    const bool found = options.until_stall && report.stalled > 0;
    if (enough || found || signals.wait_for(pace.pause(steady_clock::now()))) break;
  }
  tell_rate(pulls, partial, steady_clock::now() - start);
  if (options.cost) cost.print(std::cerr, consumer.traffic());
  return report.stalled > 0 ? exit_found_wrong : exit_fine;
}

// Two looks a little apart tell who uses the processor; the first is not shown.
int look_once(const HeartbeatOptions& options) {
  Consumer consumer(read_pathmap(options.pathmap), options.session);
  EventScope scope = consumer.open(options.scope);
  HeartbeatAnalysis analysis(consumer.plan(), scope.tree(), options.pace.stall);
  StopSignals signals;
  WatchCost cost;
  const auto start = steady_clock::now();
  analysis.observe(cost.pull(scope, {pull_deadline(options.pace.timeout), true}), steady_clock::now());
  signals.wait_for(std::chrono::milliseconds(250));
  const View view = cost.pull(scope, {pull_deadline(options.pace.timeout), true});
  const auto now = steady_clock::now();
  const HealthReport report = analysis.observe(view, now);
  HeartbeatPrinter(std::cout, options.format, options.listing, consumer.names())
      .print(report, view, now - start);
  if (options.cost) cost.print(std::cerr, consumer.traffic());
  return report.stalled > 0 ? exit_found_wrong : exit_fine;
}

void add_options(CLI::App& app, HeartbeatOptions& options) {
  static const std::map<std::string, Listing> listings{
      {"none", Listing::none}, {"stalled", Listing::stalled}, {"all", Listing::all}};
  add_pathmap(app, options.pathmap);
  add_session(app, options.session);
  add_format(app, options.format);
  app.add_option("--scope", options.scope, "The scope to pull through [heartbeat]")->type_name("NAME");
  add_duration(app, "--stall", options.pace.stall, "No event for so long is a stall [2s]");
  add_duration(app, "--interval", options.pace.interval,
               "Time from pull to pull [half of --stall, at most 1s]");
  add_pull_timeout(app, options.pace.timeout);
  app.add_option("--count", options.count, "Ends after so many pulls [0: goes on until Ctrl-C]");
  CLI::Option* const once = app.add_flag("--once", options.once, "Looks once, a quarter of a second long");
  app.add_flag("--until-stall", options.until_stall, "Ends as soon as a thread is stalled")->excludes(once);
  add_cost(app, options.cost);
  app.add_option("--list", options.listing, "Which threads the text lists: none, stalled or all [stalled]")
      ->transform(CLI::CheckedTransformer(listings))
      ->type_name("WHICH");
}

}  // namespace

Command heartbeat_command() {
  return {"heartbeat",
          "Tells of each thread its last event, the operation in flight, and whether it is stalled",
          [](CLI::App& app) {
            const auto options = std::make_shared<HeartbeatOptions>();
            add_options(app, *options);
            return [options] { return options->once ? look_once(*options) : watch(*options); };
          }};
}

}  // namespace eventspace
