#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <iostream>
#include <optional>
#include <string>
#include <utility>

#include <eventspace/error.h>
#include "monitors/cli/checked_values.h"
#include "monitors/cli/command.h"
#include "monitors/efficiency/efficiency_printer.h"
#include "monitors/efficiency/efficiency_report.h"
#include "monitors/efficiency/ideal_run.h"
#include "monitors/efficiency/observed_units.h"
#include "monitors/questions/asked_watch.h"
#include "scopes/recordings/recording_reader.h"
#include "scopes/tree/view_events.h"

namespace eventspace {
namespace {

using efficiency::By;

struct EfficiencyOptions : WatchOptions {
  EfficiencyOptions() : WatchOptions{.scope = "events", .interval = std::chrono::milliseconds(100)} {}
  By by{By::none};
  std::chrono::nanoseconds every{0};
  std::string probe{"iteration_end"};
  std::size_t limit{10};
};

class EfficiencyMonitor {
 public:
  explicit EfficiencyMonitor(const EfficiencyOptions& options)
      : options_(options),
        watch_(options_, {.looks = options_.count, .looks_at_recording = options_.count},
               [](const Plan& /*plan*/) { return AskedScope{.name = "events"}; }) {
    const auto goes_on = [this] { return !watch_.signals().stopped(); };
    if (watch_.is_recorded()) ideal_ = efficiency::ideal_run_of(watch_.watched(), goes_on, why_not_);
  }

  /// Returns the exit status.
  int watch() {
    watch_.run([this]() -> WatchLoop::Pause {
      if (!units_) begin();
      look();
      return units_->processes().have_ended() && !watch_.is_recorded() ? WatchLoop::Pause()
                                                                       : options_.interval;
    });
    units_->finish(watch_.pull_newest());
    report();
    return watch_.conclude();
  }

 private:
  // The threads that exist are learned first, so that a thread without an event since then counts too.
  void begin() {
    const bool is_from_begin = watch_.is_recorded() && !options_.played.at;
    const View newest = watch_.pull_newest();
    const std::int64_t now = watch_.loop().now().time_since_epoch().count();
    efficiency::ObservedUnits::Settings settings{
        .origin_ns = is_from_begin ? watch_.watched().recorded->replay().begin_ns() : now};
    if (!is_from_begin) settings.begin_ns = now;
    if (options_.by == By::time) settings.every = options_.every;
    if (options_.by == By::iteration) settings.iteration_end = options_.probe;
    units_.emplace(&watch_.plan(), watch_.names(), settings, ideal_ ? &*ideal_ : nullptr);
    units_->see(newest);
  }

  void look() {
    constexpr int max_pulls = 500;  // a program may make events as fast as they are read
    const ScopeTree& tree = watch_.tree();
    bool has_rest = true;
    for (int pulls = 0; has_rest && (pulls < max_pulls || watch_.is_recorded()); ++pulls) {
      const View view = watch_.pull();
      units_->add(view);
      watch_.tally().events += count_events(view.records.whole());
      has_rest =
          watch_.is_recorded() ? watch_.loop().has_rest() : tree.next && view.records.size() >= tree.batch;
    }
  }

  void report() {
    auto made = efficiency::report_efficiency(*units_, ideal_ ? &*ideal_ : nullptr, options_.by,
                                              options_.every.count());
    made.confidence.lost = watch_.losses();
    if (!ideal_) made.confidence.why_not = why_not_;
    if (const auto* const reason = std::get_if<efficiency::NoFactors>(&made.whole.factors))
      return refuse(*reason);
    if (options_.by == By::iteration && made.parts.empty()) refuse_iterations();
    if (options_.by == By::time) refuse_many_spans(made);
    efficiency::print_efficiency(std::cout, options_.format, made, options_.limit);
    std::cout.flush();
  }

  // Without any event, the summary says so.
  void refuse(efficiency::NoFactors reason) {
    if (watch_.tally().events == 0) return;
    throw ConfigurationError(
        fmt::format("{} has no efficiency: {}", options_.pathmap.string(), to_string(reason)));
  }
  void refuse_many_spans(const efficiency::EfficiencyReport& made) const {
    constexpr std::size_t most = efficiency::UnitTimes::max_cells / 2;
    const double spans = made.whole.times.length / static_cast<double>(options_.every.count());
    if (spans * static_cast<double>(made.whole.units) <= static_cast<double>(most)) return;
    throw ConfigurationError(
        fmt::format("found {:.0f} spans of {} threads; expected at most {} together: make --every longer",
                    spans, made.whole.units, most));
  }
  void refuse_iterations() const {
    const auto& probes = units_->probes();
    throw ConfigurationError(fmt::format(
        "no thread passed the probe '{}' twice, so there are no iterations; probes that were passed: {}",
        options_.probe, probes.empty() ? "none" : fmt::format("{}", fmt::join(probes, ", "))));
  }

  const EfficiencyOptions options_;
  AskedWatch watch_;
  std::string why_not_;
  std::optional<efficiency::IdealRun> ideal_;
  std::optional<efficiency::ObservedUnits> units_;
};

EfficiencyOptions complete(EfficiencyOptions options) {
  if (options.every.count() > 0 && options.by != By::none)
    throw ConfigurationError("--every cannot be combined with --by; choose one");
  if (options.every.count() > 0) options.by = By::time;
  constexpr std::chrono::seconds by_default{10};
  const bool has_end = options.duration.count() > 0 || options.count > 0;
  if (!has_end && !is_recording(options.pathmap)) options.duration = by_default;
  return options;
}

int run(const EfficiencyOptions& options) { return EfficiencyMonitor(complete(options)).watch(); }

void add_options(CLI::App& app, EfficiencyOptions& options) {
  add_watch_options(app, options, "pulls");
  app.get_option("--for")->description("Stop after this time [10s for a running session]");
  add_choice(app, "--by", options.by, {{"region", By::region}, {"iteration", By::iteration}},
             "Also print the efficiencies of each region of the program, or of each iteration");
  app.add_option("--probe", options.probe, "Name of the probe that ends an iteration [iteration_end]")
      ->type_name("NAME");
  add_duration(app, "--every", options.every, "Also print the efficiencies of each span of this length");
  add_limit(app, options.limit);
}

}  // namespace

Command efficiency_command(const CommandContext& /*context*/) {
  const CommandGuide guide{
      .group = CommandGroup::watching,
      .place = 6,
      .examples = {{"eventspace efficiency job", "ten seconds of the MPI job of session job"},
                   {"eventspace efficiency run.evs --by region",
                    "of a recording, with the efficiencies of the program's regions"},
                   {"eventspace efficiency job --for 1min --every 1s --format csv", "a minute, as a curve"}},
      .statuses = {{exit_usage, "the run has no efficiency, as it takes no time or no thread computes"},
                   {exit_unreachable, "no event was received, and no view was whole"}}};
  return {"efficiency", "Show how efficient a parallel program is, what limits it, and who costs how much",
          with_options<EfficiencyOptions>(add_options, run), guide};
}

}  // namespace eventspace
