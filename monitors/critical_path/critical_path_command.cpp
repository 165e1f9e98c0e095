#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>

#include <eventspace/error.h>
#include "monitors/cli/checked_values.h"
#include "monitors/cli/command.h"
#include "monitors/cli/options.h"
#include "monitors/cli/stop_signals.h"
#include "monitors/critical_path/path_printer.h"
#include "monitors/export/reading/recorded_events.h"
#include "monitors/text/counted.h"
#include "monitors/wait_states/activity_sink.h"
#include "monitors/watching/recorded_session.h"
#include "tuplespace/system/temporary_folder.h"

namespace eventspace {
namespace {

struct CriticalPathOptions {
  std::filesystem::path file;
  PathTable table{PathTable::all};
  std::size_t limit{10};
  Format format{Format::text};
};

void require_activities(const CriticalPathOptions& options, const ActivitySink& sink) {
  if (sink.run().participants() > 0) return;
  const std::uint64_t pvm = sink.reservations().pvm_calls;
  throw ConfigurationError(
      fmt::format("{}: found nothing to analyse: no calls of MPI, and no operations on recorded paths{}",
                  options.file.string(),
                  pvm > 0 ? fmt::format("; {} of PVM cannot be analysed", counted(pvm, "call")) : ""));
}

int run(const CriticalPathOptions& options) {
  StopSignals signals;
  const Watched watched = open_recorded(options.file, "");
  ActivitySink sink(*watched.plan, watched.recorded->names());
  exports::RecordedEvents events(watched, {.directory = temporary_folder(),
                                           .progress = [&signals](double) { return !signals.stopped(); }});
  if (!events.run(sink)) throw EnvironmentError("stopped by a signal: the recording was not read to its end");
  print_damage(watched, options.format);
  require_activities(options, sink);
  const PathReport report(sink.run(), sink.reservations(), sink.location_word());
  print_path(std::cout, options.format, options.table, report, options.limit);
  std::cout.flush();
  if (options.format == Format::csv)
    for (const std::string& note : reservations_of(report)) std::cerr << "eventspace: note: " << note << '\n';
  return exit_fine;
}

void add_options(CLI::App& app, CriticalPathOptions& options) {
  app.add_option("FILE", options.file, "Recording to read")->required();
  add_choice(app, "--table", options.table,
             {{"all", PathTable::all},
              {"path", PathTable::path},
              {"locations", PathTable::locations},
              {"waits", PathTable::waits},
              {"segments", PathTable::segments}},
             "Print this table; all prints all but the segments (CSV: path) [all]");
  add_limit(app, options.limit);
  add_format(app, options.format);
}

}  // namespace

Command critical_path_command(const CommandContext& /*context*/) {
  const CommandGuide guide{
      .group = CommandGroup::recordings,
      .place = 6,
      .examples = {{"eventspace critical-path run.evs",
                    "the activity that limits the run, and who waited for whom"},
                   {"eventspace critical-path run.evs --table waits --limit 0",
                    "all wait states, by call site, with the ranks with which they began"},
                   {"eventspace critical-path run.evs --table segments --format csv",
                    "the critical path, piece by piece"}},
      .statuses = {{exit_usage, "the recording has neither calls of MPI nor operations on paths"},
                   {exit_unreachable, "the file cannot be read, or a signal ended the analysis"}}};
  return {"critical-path", "Show what limits the run time of a recording: critical path and wait states",
          with_options<CriticalPathOptions>(add_options, run), guide};
}

}  // namespace eventspace
