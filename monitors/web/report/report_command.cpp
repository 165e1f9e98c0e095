#include <CLI/CLI.hpp>
#include <filesystem>

#include "monitors/cli/checked_values.h"
#include "monitors/cli/command.h"
#include "monitors/cli/options.h"
#include "monitors/web/report/report_file.h"

namespace eventspace {
namespace {

struct ReportOptions {
  std::filesystem::path recording;
  std::filesystem::path output;
  std::uint64_t most_mib{10};
  std::chrono::nanoseconds stall{std::chrono::seconds(2)};
  bool replaces{false};
  bool quiet{false};
};

std::filesystem::path output_of(const ReportOptions& options) {
  if (!options.output.empty()) return options.output;
  std::filesystem::path output = options.recording;
  return output.replace_extension(".html");
}

int run(const ReportOptions& options) {
  web::ReportSettings settings{.recording = options.recording};
  settings.pace.stall = options.stall;
  settings.most_bytes = options.most_mib << 20;
  web::write_report(settings, output_of(options), options.replaces, options.quiet);
  return exit_fine;
}

void add_report_options(CLI::App& app, ReportOptions& options) {
  app.add_option("RECORDING", options.recording, "Recording to read")->required();
  app.add_option("-o,--output", options.output, "Write to this file [the recording's name with .html]")
      ->type_name("FILE");
  app.add_option("--limit-size", options.most_mib,
                 "At most this many MiB; operations that do not fit are shown as shares of time [10]")
      ->type_name("N")
      ->check(whole_number_from(1, 1024));
  add_duration(app, "--stall", options.stall,
               "Report a thread as stalled after this time without events [2s]");
  app.add_flag("--force", options.replaces, "Replace existing output");
  add_quiet(app, options.quiet);
}

}  // namespace

Command report_command(const CommandContext& /*context*/) {
  const CommandGuide guide{
      .group = CommandGroup::recordings,
      .place = 5,
      .examples = {{"eventspace report run.evs", "writes run.html, for any browser, without a server"},
                   {"eventspace report run.evs -o mail.html --limit-size 5", "a smaller file"}},
      .statuses = {{exit_unreachable, "the file cannot be read, or the output exists or cannot be written"}}};
  return {"report", "Write a recording as a page in one file, for a browser",
          with_options<ReportOptions>(add_report_options, run), guide};
}

}  // namespace eventspace
