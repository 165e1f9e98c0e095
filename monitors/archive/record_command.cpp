#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include <eventspace/error.h>
#include "monitors/archive/recorder.h"
#include "monitors/budget/budget_keeper.h"
#include "monitors/cli/checked_values.h"
#include "monitors/cli/command.h"
#include "monitors/cli/options.h"
#include "monitors/cli/pathmap_input.h"
#include "monitors/cli/priority_option.h"
#include "monitors/cli/stop_signals.h"
#include "monitors/text/counted.h"
#include "monitors/text/loss_text.h"
#include "monitors/text/plain_output.h"
#include "monitors/text/size_text.h"
#include "monitors/text/text_format.h"
#include "monitors/watching/reach.h"
#include "pathmaps/plan/session_plan.h"
#include "tuplespace/system/session_files.h"

namespace eventspace {
namespace {

struct RecordOptions {
  std::filesystem::path pathmap;
  std::string session;
  Recorder::Settings settings;
  Budget budget{};
  bool quiet{false};
  bool verbose{false};
  bool waits{false};
  bool beside_run{false};
};

void say_losses(const Loss& loss, bool verbose) {
  if (verbose) return print_loss(std::cerr, loss, "recording");
  const std::string lost = incomplete_text(loss_sentences(loss_that_matters(loss, false), "recording"));
  if (!lost.empty()) std::cerr << lost << '\n';
}

int conclude(const Recorder& recorder, const RecordOptions& options) {
  const RecordingWriter::Totals& totals = recorder.totals();
  if (!options.quiet) {
    const std::string last =
        options.settings.rotation.any()
            ? fmt::format(" (in parts, the last is {})", recorder.file().filename().string())
            : "";
    std::cerr << fmt::format(
        "{} in {}, {} in {}{} ({:.1f} bytes an event)\n", counted(totals.events, "event"),
        short_duration(recorder.elapsed()), short_size(totals.bytes), options.settings.file.string(), last,
        static_cast<double>(totals.bytes) / static_cast<double>(std::max<std::uint64_t>(totals.events, 1)));
    say_losses(totals.loss, options.verbose);
  }
  if (totals.events > 0) return exit_fine;
  print_message(next_step(recorder.saw_process() ? Found::processes : Found::no_process, false,
                          {options.pathmap, options.session}));
  return recorder.saw_process() ? exit_fine : exit_unreachable;
}

// A session that has not begun lacks processes: its name is enough. A program and its session often have the
// same name.
Watched find_recorded(const RecordOptions& options) {
  const std::string name = options.pathmap.string();
  std::error_code ignored;
  const bool is_other_file =
      std::filesystem::exists(options.pathmap, ignored) && !is_program(options.pathmap);
  const bool may_begin = options.waits && !looks_like_pathmap(name) && name.find('/') == std::string::npos &&
                         !is_other_file && find_segments(name).empty();
  if (!may_begin || !options.session.empty()) return find_watched(options.pathmap, options.session);
  check_session_name(name);
  return {plan_of_session(name), name, {}};
}

// Returns false if a signal came while it waited.
bool reach_servers(Consumer& consumer, const ScopeTree& tree, const RecordOptions& options, Timeline& time) {
  while (true) {
    try {
      require_servers(consumer, tree, {options.pathmap, options.session}, options.settings.timeout);
      return true;
    } catch (const EnvironmentError&) {
      if (!options.waits) throw;
      if (time.wait(std::chrono::milliseconds(200))) return false;
    }
  }
}

int run(const RecordOptions& options, bool is_snapshot) {
  if (options.settings.rotation.keep != 0 && !options.settings.rotation.any())
    throw ConfigurationError("--keep is for a recording in parts: it needs --rotate-size or --rotate-age");
  StopSignals signals;
  RealTime time(signals);
  if (options.beside_run) ::prctl(PR_SET_PDEATHSIG, SIGINT);
  const Watched watched = find_recorded(options);
  Consumer consumer = consumer_of(watched);
  Recorder::Settings settings = options.settings;
  settings.shows_progress = !options.quiet && !is_snapshot && ::isatty(STDERR_FILENO) == 1;
  // Before the file is made: a missing session must not leave a file behind.
  const ScopeTree tree = Recorder::scope_of(watched, options.settings.node, options.settings.direct);
  if (options.beside_run) settings.leaves_segments = consumer.session();
  if (!reach_servers(consumer, tree, options, time)) return exit_unreachable;
  Recorder recorder(watched, consumer, tree, settings);
  if (is_snapshot) {
    recorder.run_once();
    return conclude(recorder, options);
  }
  int budget_status = exit_fine;
  {
    // A recorder that pulled less often would lose records.
    BudgetKeeper budget(options.budget, watched, {.may_stretch = false});
    recorder.run(time);
    budget_status = budget.status(exit_fine);
  }
  const int status = conclude(recorder, options);
  return status == exit_fine ? budget_status : status;
}

void add_common(CLI::App& app, RecordOptions& options) {
  add_watched(app, options.pathmap);
  add_session(app, options.session);
  app.add_option("-o,--output", options.settings.file, "Write to this file")->type_name("FILE")->required();
  app.add_flag("--force", options.settings.replaces, "Replace existing output");
  app.add_option("--level", options.settings.level, "Compress at this level; 1 is fast, 19 is small [1]")
      ->type_name("N")
      ->check(whole_number_from(1, 19));
  add_pull_timeout(app, options.settings.timeout);
  add_priority(app);
  add_verbose(app, options.verbose);
  add_quiet(app, options.quiet);
}

void add_rotation(CLI::App& app, RecordingWriter::Config::Rotation& rotation) {
  const auto take_size = [&rotation](const CLI::results_t& words) {
    const auto bytes = size_from(words.at(0));
    if (!bytes || *bytes == 0) {
      throw CLI::ValidationError(
          "--rotate-size",
          fmt::format("found '{}'; expected a number above 0 and a unit (B, KiB, MiB, GiB or "
                      "TiB), such as 100MiB",
                      words.at(0)));
    }
    rotation.bytes = *bytes;
    return true;
  };
  app.add_option("--rotate-size", take_size,
                 "Begin the next file, such as run.0002.evs, when one has this size")
      ->type_name("SIZE");
  add_duration(app, "--rotate-age", rotation.age, "Begin the next file when one has this age");
  app.add_option("--keep", rotation.keep, "Keep only the newest N of these files [all]")
      ->type_name("N")
      ->check(whole_number_from(1, 9999));
}

}  // namespace

Command record_command(const CommandContext& context) {
  const BuildInfo& build = context.build;
  const CommandGuide guide{
      .group = CommandGroup::recordings,
      .place = 1,
      .examples = {{"eventspace record app.yaml -o run.evs", "records until Ctrl-C"},
                   {"eventspace record job -o job.evs --until-end",
                    "a session without a pathmap, until it ends"},
                   {"eventspace record app.yaml -o run.evs --rotate-size 1GiB --keep 4",
                    "for days, keeping the newest 3 to 4 GiB"}},
      .statuses = {
          {exit_found_wrong, "the budget could not be kept"},
          {exit_unreachable, "no server answers, no process was seen, or the file cannot be written"}}};
  return {"record", "Record a session in a file",
          [version = build.version](CLI::App& app) {
            const auto options = std::make_shared<RecordOptions>();
            options->settings.program = "eventspace " + version;
            add_common(app, *options);
            add_for(app, options->settings.duration);
            app.add_flag("--until-end", options->settings.until_end,
                         "Stop when all observed processes have ended");
            app.add_flag("--wait", options->waits, "Wait for the session to begin");
            app.add_flag("--beside-run", options->beside_run)->group("");
            CLI::Option* const node =
                app.add_option("--node", options->settings.node,
                               "Record only this node; `merge` joins the recordings [all]")
                    ->type_name("NODE");
            app.add_flag("--direct", options->settings.direct,
                         "Read trace elements directly, without servers; all nodes must be on this machine")
                ->excludes(node);
            add_rotation(app, options->settings.rotation);
            add_interval(app, options->settings.interval, "20ms to 100ms, by how fast trace elements fill");
            add_budget(app, options->budget);
            add_duration(app, "--state", options->settings.state_every,
                         "Time between states of all threads and processes [1s]");
            return [options] { return run(*options, false); };
          },
          guide};
}

Command snapshot_command(const CommandContext& context) {
  const BuildInfo& build = context.build;
  const CommandGuide guide{
      .group = CommandGroup::recordings,
      .place = 2,
      .examples = {{"eventspace snapshot app.yaml -o now.evs", "the last events of each thread"}},
      .statuses = {
          {exit_unreachable, "no server answers, no process was seen, or the file cannot be written"}}};
  return {"snapshot", "Write the current content of the trace elements as a recording",
          [version = build.version](CLI::App& app) {
            const auto options = std::make_shared<RecordOptions>();
            options->settings.program = "eventspace " + version;
            add_common(app, *options);
            return [options] { return run(*options, true); };
          },
          guide};
}

}  // namespace eventspace
