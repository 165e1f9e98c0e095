#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include <eventspace/error.h>
#include "monitors/cli/checked_values.h"
#include "monitors/cli/command.h"
#include "monitors/cli/options.h"
#include "monitors/export/partial_output.h"
#include "monitors/text/counted.h"
#include "monitors/text/text_format.h"
#include "monitors/watching/recorded_session.h"
#include "scopes/recordings/recording_merge.h"

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
        "found one recording; expected two or more, such as one from each node of a run");
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
  app.add_option("FILES", options.files, "Recordings of one run on different nodes")->required();
  app.add_option("-o,--output", options.output, "Write to this file")->type_name("FILE")->required();
  app.add_flag("--force", options.replaces, "Replace existing output");
  add_duration(app, "--clocks-within", options.settings.clocks_within,
               "Largest difference between the clocks of the recorders' machines, if they are several");
  add_duration(app, "--state", options.settings.state_every,
               "Time between states of all threads and processes [1s]");
  app.add_option("--level", options.level, "Compress at this level; 1 is fast, 19 is small [1]")
      ->type_name("N")
      ->check(whole_number_from(1, 19));
  add_quiet(app, options.quiet);
}

}  // namespace

Command merge_command(const CommandContext& context) {
  const BuildInfo& build = context.build;
  const CommandGuide guide{
      .group = CommandGroup::recordings,
      .place = 5,
      .examples = {{"eventspace merge n1.evs n2.evs -o run.evs", "joins recordings of `record --node`"}},
      .statuses = {{exit_unreachable, "a file cannot be read or written, or is not a recording"}}};
  return {"merge", "Merge the recordings of a run's nodes into one, on one clock",
          [version = build.version](CLI::App& app) {
            const auto options = std::make_shared<MergeOptions>();
            options->program = "eventspace " + version;
            add_options(app, *options);
            return [options] { return run(*options); };
          },
          guide};
}

}  // namespace eventspace
