#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <utility>

#include "monitors/archive/record_command.h"
#include "monitors/cli/checked_values.h"
#include "monitors/cli/options.h"
#include "monitors/export/partial_output.h"
#include "monitors/text/counted.h"
#include "monitors/text/text_format.h"
#include "monitors/watching/recorded_session.h"
#include "scopes/recordings/recording_merge.h"
#include "tuplespace/system/error.h"

namespace eventspace {
namespace {

struct MergeOptions {
  std::vector<std::filesystem::path> files;
  std::filesystem::path output;
  std::string program;
  MergeSettings settings;
  int level{1};
  bool replaces{false};
  bool quiet{false};
};

int run(const MergeOptions& options) {
  if (options.files.size() < 2)
    throw ConfigurationError(
        "found one recording; expected two or more, such as those of the nodes of a run");
  // Here, "-" is the name of a file: a recording is not a stream of bytes.
  exports::PartialOutput file(
      {.final_place = options.output == "-" ? "./-" : options.output, .replaces = options.replaces});
  std::vector<Watched> recordings;
  std::vector<Replay*> replays;
  for (const auto& named : options.files) {
    recordings.push_back(open_recorded(named, ""));
    replays.push_back(&recordings.back().recorded->replay());
  }
  RecordingWriter writer({.file = file.place(),
                          .session = merged_session(replays, options.settings, options.program),
                          .names = &replays.front()->names(),
                          .level = options.level,
                          .replaces = true});
  merge_recordings(replays, options.settings, writer);
  file.commit();
  if (!options.quiet) {
    std::cerr << fmt::format("{} of {} in {}, {}\n", counted(writer.totals().events, "event"),
                             counted(replays.size(), "recording"), options.output.string(),
                             short_size(writer.totals().bytes));
  }
  return exit_fine;
}

void add_options(CLI::App& app, MergeOptions& options) {
  app.add_option("FILES", options.files, "The recordings, of one run and of different nodes")->required();
  app.add_option("-o,--output", options.output, "The merged recording")->type_name("FILE")->required();
  app.add_flag("--force", options.replaces, "Replaces a file of that name");
  add_duration(app, "--clocks-within", options.settings.clocks_within,
               "How much the times of day of the recorders' machines differ at most; needed if they are not "
               "one machine, and kept as the bound of times [refuses these]");
  add_duration(app, "--state", options.settings.state_every,
               "Time between states of all threads and processes [1s]");
  app.add_option("--level", options.level, "Of compression, 1 (fast) to 19 (small) [1]")
      ->type_name("N")
      ->check(whole_number_from(1, 19));
  app.add_flag("--quiet", options.quiet, "No summary on standard error");
}

}  // namespace

Command merge_command(const BuildInfo& build) {
  const CommandGuide guide{
      .group = CommandGroup::recordings,
      .examples = {{"eventspace merge n1.evs n2.evs -o run.evs", "what was recorded with `record --node`"}},
      .statuses = {{exit_unreachable, "a file cannot be read or written, or is no recording"}}};
  return {"merge",
          "Makes one recording of those of the nodes of a run, on one clock",
          [version = build.version](CLI::App& app) {
            const auto options = std::make_shared<MergeOptions>();
            options->program = "eventspace " + version;
            add_options(app, *options);
            return [options] { return run(*options); };
          },
          {},
          guide};
}

}  // namespace eventspace
