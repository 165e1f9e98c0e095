#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <optional>

#include <eventspace/error.h>
#include "monitors/charts/plot_file.h"
#include "monitors/cli/checked_values.h"
#include "monitors/cli/command.h"
#include "monitors/delays/path_delays.h"
#include "monitors/profile/matrix_picture.h"
#include "monitors/profile/profile_printer.h"
#include "monitors/questions/asked_watch.h"
#include "monitors/questions/question_options.h"
#include "scopes/tree/view_events.h"

namespace eventspace {
namespace {

struct ProfileOptions : WatchOptions {
  ProfileOptions() : WatchOptions{.scope = "events", .interval = std::chrono::milliseconds(200)} {}
  AskedScope asked{.name = "events"};
  ProfileTable table{ProfileTable::all};
  std::size_t limit{10};
  std::filesystem::path picture;
};

class ProfileMonitor {
 public:
  explicit ProfileMonitor(const ProfileOptions& options)
      : options_(options),
        watch_(options_, extent_of(options), [&options](const Plan& /*plan*/) { return options.asked; }),
        profile_(watch_.names()) {
    if (watch_.plan().has_pathmap && options.asked.question.is_empty()) {
      delays_.emplace(watch_.plan(), watch_.names());
    } else if (options.table == ProfileTable::delays) {
      throw ConfigurationError(
          watch_.plan().has_pathmap
              ? "--table delays needs the events of all threads; remove the options that select events"
              : "--table delays needs a session with a pathmap");
    }
  }

  /// Returns the exit status.
  int watch() {
    watch_.run([this]() -> WatchLoop::Pause {
      look();
      return options_.interval;
    });
    profile_.settle();
    print_profile(std::cout, options_.format, options_.table, profile_, delays(), watch_.names(),
                  options_.limit);
    std::cout.flush();
    return watch_.conclude();
  }
  [[nodiscard]] const JobProfile& profile() const noexcept { return profile_; }

 private:
  std::optional<DelayReport> delays() {
    if (!delays_) return std::nullopt;
    delays_->finish();
    return report_delays(delays_->origins());
  }

  // Without a time to watch, the profile is of the present content of the trace elements: one look. The
  // content of a recording is read in several looks.
  static AskedWatch::Extent extent_of(const ProfileOptions& options) {
    const bool has_time = options.duration.count() > 0;
    return {has_time ? Played::Part::all : Played::Part::end, has_time ? options.count : 1, options.count};
  }

  // Reads the content of the trace elements. A pull yields up to `batch` records of each trace element; if it
  // yields fewer in total, all have been read. A program may make records as fast as they are read, so the
  // number of pulls is limited.
  void look() {
    constexpr int max_pulls = 500;
    const ScopeTree& tree = watch_.tree();
    bool has_rest = true;
    for (int pulls = 0; has_rest && (pulls < max_pulls || watch_.is_recorded()); ++pulls) {
      const View view = watch_.pull();
      profile_.add(view);
      if (delays_) delays_->add(view);
      watch_.tally().events += count_events(view.records.whole());
      has_rest =
          watch_.is_recorded() ? watch_.loop().has_rest() : tree.next && view.records.size() >= tree.batch;
    }
    if (delays_ && !has_rest) delays_->settle();
  }

  const ProfileOptions options_;
  AskedWatch watch_;
  JobProfile profile_;
  std::optional<PathDelays> delays_;  // which threads delay the others; only when all threads are profiled
};

int run(const ProfileOptions& options) {
  std::optional<Picture> picture;
  int status = exit_fine;
  {  // its signals end here: drawing handles its own
    ProfileMonitor monitor(options);
    status = monitor.watch();
    if (!options.picture.empty()) picture = draw_flows(monitor.profile().flows());
  }
  if (picture) write_plot(*picture, options.picture);
  return status;
}

void add_options(CLI::App& app, ProfileOptions& options) {
  add_watch_options(app, options, "pulls");
  add_which_events(app, options.asked.question);
  add_choice(app, "--table", options.table,
             {{"all", ProfileTable::all},
              {"threads", ProfileTable::threads},
              {"phases", ProfileTable::phases},
              {"delays", ProfileTable::delays},
              {"matrix", ProfileTable::matrix},
              {"sizes", ProfileTable::sizes},
              {"calls", ProfileTable::calls}},
             "Print this table; in CSV, all prints that of the threads [all]");
  add_limit(app, options.limit);
  app.add_option("--picture", options.picture, "Draw the matrix to this file: .svg, .png, .pdf or .dot")
      ->type_name("FILE");
  note_scope(app, options.asked);
}

}  // namespace

Command profile_command(const CommandContext& /*context*/) {
  const CommandGuide guide{
      .group = CommandGroup::watching,
      .place = 6,
      .examples = {{"eventspace profile job",
                    "the MPI job of session job, from the present content of its trace elements"},
                   {"eventspace profile app.yaml --for 1min --table calls --format csv",
                    "the operations of a minute, for a spreadsheet"},
                   {"eventspace profile job --for 10s --picture matrix.svg",
                    "the messages between ranks, as a picture"}},
      .statuses = {{exit_unreachable, "no event was received, and no view was whole"}}};
  return {"profile", "Show where the time of a program goes, and the messages between its threads",
          with_options<ProfileOptions>(add_options, run), guide};
}

}  // namespace eventspace
