#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <eventspace/error.h>
#include "monitors/cli/checked_values.h"
#include "monitors/cli/commands.h"
#include "monitors/cli/stop_signals.h"
#include "monitors/export/formats.h"
#include "monitors/export/partial_output.h"
#include "monitors/export/reading/recorded_events.h"
#include "monitors/text/counted.h"
#include "monitors/text/plain_output.h"
#include "monitors/text/text_format.h"
#include "monitors/watching/recorded_session.h"

namespace eventspace {
namespace {

using exports::ExportFormat;
using exports::PartialOutput;
using exports::Totals;

struct ExportOptions {
  std::filesystem::path file;
  std::string format;
  std::filesystem::path output;
  bool replaces{false};
  bool quiet{false};
};

/// Shows a progress bar on a terminal, and handles the signals that end an export.
class ExportProgress {
 public:
  explicit ExportProgress(bool is_shown) : is_shown_(is_shown) {}
  ~ExportProgress() {
    if (has_shown_) std::fputs("\r\033[K", stderr);
  }
  ExportProgress(const ExportProgress&) = delete;
  ExportProgress& operator=(const ExportProgress&) = delete;

  bool operator()(double share) {
    const auto now = std::chrono::steady_clock::now();
    if (is_shown_ && now >= due_) {
      due_ = now + std::chrono::milliseconds(100);
      show(share);
    }
    return !signals_.stopped();
  }

 private:
  void show(double share) {
    constexpr int width = 40;
    const int filled = static_cast<int>(share * width);
    const std::string bar = std::string(static_cast<std::size_t>(filled), '#') +
                            std::string(static_cast<std::size_t>(width - filled), ' ');
    std::fputs(fmt::format("\r[{}] {:3.0f} %\033[K", bar, share * 100).c_str(), stderr);
    has_shown_ = true;
  }

  StopSignals signals_;
  bool is_shown_;
  bool has_shown_{false};
  std::chrono::steady_clock::time_point due_{};
};

// Beside the recording: run.evs becomes run.pftrace.
std::filesystem::path output_of(const ExportOptions& options, const ExportFormat& format) {
  if (!options.output.empty()) return options.output;
  std::filesystem::path output = options.file;
  return output.replace_extension(std::string(format.suffix));
}

void require_other_file(const std::filesystem::path& file, const std::filesystem::path& output) {
  std::error_code ignored;
  if (std::filesystem::equivalent(file, output, ignored))
    throw ConfigurationError(
        fmt::format("{} is the recording itself; name another output with -o", output.string()));
}

// Prints missing and uncertain data, so that users do not take it for fact.
void print_reservations(const Totals& totals) {
  const auto note = [](std::uint64_t count, const std::string& text) {
    if (count > 0) std::cerr << "eventspace: note: " << count << ' ' << text << '\n';
  };
  note(totals.lost_records, "records were lost before they were recorded; the export marks where");
  note(totals.removed_records, "records are in earlier parts of the recording, which were not found");
  note(totals.damaged_records, "records cannot be read, because the file is damaged");
  note(totals.damaged_chunks, "parts of the recording are damaged, and their events are missing");
  note(totals.refused,
       "events are left out, because their process is unknown, or the recording has too many threads");
  note(totals.uncertain_ends,
       "ends of messages are matched by likelihood, because events before them were lost");
  note(totals.unnumbered_ends, "ends of messages are not matched, because their partner is unknown");
  note(totals.moved, "events begin later than recorded, because the recording is out of order");
}

void conclude(const Totals& totals, const std::filesystem::path& output, std::chrono::nanoseconds elapsed) {
  const std::string in_flight =
      totals.in_flight == 0 ? "" : fmt::format(", and {} in flight at the end,", totals.in_flight);
  const std::string tracks =
      totals.tracks == totals.threads ? "" : fmt::format(" on {}", counted(totals.tracks, "track"));
  std::cerr << fmt::format("{}{} of {}{} in {}, in {}\n", counted(totals.events(), "event"), in_flight,
                           counted(totals.threads, "thread"), tracks, output.string(),
                           short_duration(elapsed));
  print_reservations(totals);
}

int run(const ExportOptions& options) {
  const ExportFormat& format = exports::require_format(options.format);
  const std::filesystem::path output_place = output_of(options, format);
  if (output_place == "-" && !format.is_streamed) {
    throw ConfigurationError(
        fmt::format("the format {} cannot be written to standard output; name a file with -o", format.name));
  }
  ExportProgress progress(!options.quiet && ::isatty(STDERR_FILENO) == 1);
  const auto begun = std::chrono::steady_clock::now();
  const Watched watched = open_recorded(options.file, "");
  require_other_file(options.file, output_place);
  PartialOutput output({output_place, !format.marker.empty(), options.replaces, std::string(format.marker)});
  std::optional<Totals> totals;
  {
    const auto sink = format.make(output.place());
    exports::RecordedEvents events(watched,
                                   {.directory = output.directory(), .progress = std::ref(progress)});
    totals = events.run(*sink);
  }
  if (!totals) throw EnvironmentError("stopped by a signal: nothing was exported");
  output.commit();
  if (!options.quiet) conclude(*totals, output_place, std::chrono::steady_clock::now() - begun);
  return exit_fine;
}

std::string formats_in_words() {
  std::string text;
  for (const ExportFormat& format : exports::export_formats())
    text += fmt::format("{}{} ({})", text.empty() ? "" : "; ", format.name, format.help);
  return text;
}

void add_export_options(CLI::App& app, ExportOptions& options) {
  app.add_option("FILE", options.file, "Recording to read")->required();
  std::vector<std::string> names;
  for (const ExportFormat& format : exports::export_formats()) names.emplace_back(format.name);
  add_choice_of(
      app, "--to", names, [&options, names](std::size_t chosen) { options.format = names[chosen]; },
      "The format: " + formats_in_words())
      ->required();
  app.add_option(
         "-o,--output", options.output,
         "Write to this file; - is standard output [the recording's name with the suffix of the format]")
      ->type_name("OUT");
  app.add_flag("--force", options.replaces, "Replace existing output");
  add_quiet(app, options.quiet);
}

}  // namespace

Command export_command() {
  const CommandGuide guide{
      .group = CommandGroup::recordings,
      .examples = {{"eventspace export run.evs --to perfetto", "writes run.pftrace, for ui.perfetto.dev"},
                   {"eventspace export run.evs --to sqlite -o run.db", "for questions in SQL"},
                   {"eventspace export run.evs --to csv -o - --quiet", "to standard output, for a pipe"}},
      .statuses = {
          {exit_unreachable,
           "the file cannot be read, the output exists or cannot be written, or a signal ended the export"}}};
  return {"export", "Convert a recording to the format of another tool",
          with_options<ExportOptions>(add_export_options, run), guide};
}

}  // namespace eventspace
