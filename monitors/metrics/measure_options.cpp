#include "monitors/metrics/measure_options.h"
#include "monitors/charts/plot_file.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <utility>

#include <eventspace/error.h>
#include "monitors/cli/checked_values.h"
#include "monitors/questions/question_options.h"
#include "monitors/text/counted.h"
#include "paths/parameters/glob.h"
#include "scopes/tree/scope_bounds.h"

namespace eventspace {
namespace {

using metrics::CutRegions;
using metrics::Definition;
using metrics::MeasurementChoice;
using Mode = MeasureOptions::Mode;

void add_modes(CLI::App& app, MeasureOptions& options) {
  add_choice(
      app, "--each", options.summary,
      {{"objects", Summary::objects}, {"partners", Summary::partners}, {"regions", Summary::regions}},
      "Compute a value for each object of the first parameter, each partner, or each region [one over all]");
  add_choice(
      app, "--cut-regions", options.cut,
      {{"partly", CutRegions::partly}, {"whole", CutRegions::whole}, {"left-out", CutRegions::left_out}},
      "Count regions at the limits of the measurement partly, wholly once they have ended, or not at all "
      "[partly]");
  add_choice(app, "--mode", options.mode,
             {{"since-start", Mode::since_start},
              {"since-last", Mode::since_last},
              {"since-start-per-second", Mode::since_start_per_second},
              {"since-last-per-second", Mode::since_last_per_second}},
             "Compute values since the start of the measurement or since the last reading, also per second");
}

void add_what_is_measured(CLI::App& app, MeasureOptions& options) {
  app.add_option("METRIC", options.metrics, "Names of metrics; without one, list what can be measured");
  app.add_option("--file", options.files, "Read more metrics from this file; - is standard input")
      ->type_name("FILE");
  app.add_option("--objects", options.objects,
                 "Only objects whose names match, for the first parameter of the metrics [all]")
      ->type_name("PATTERN");
  app.add_option("--partners", options.partners,
                 "Only partners whose names match, for the second object parameter of the metrics [all]")
      ->type_name("PATTERN");
  app.add_option("--regions", options.regions,
                 "Only regions whose names match, for the first region parameter of the metrics [all]")
      ->type_name("PATTERN");
}

void add_alerts_and_plots(CLI::App& app, MeasureOptions& options) {
  app.add_option(
         "--alert", options.alerts,
         "Exit with status 1 when this holds: METRIC > NUMBER, with a unit, and `for TIME` if it must last")
      ->type_name("CONDITION");
  app.add_option(
         "--alert-run", options.alert_run,
         "Run this shell command at each alert, and continue; exit with status 1 if there was an alert")
      ->type_name("COMMAND")
      ->needs("--alert");
  app.add_option("--alert-group", options.alert_group,
                 "Make the processes of an alert a group (see `group`), and continue; exit with status 1 if "
                 "there was an alert")
      ->type_name("NAME")
      ->needs("--alert");
  app.add_option("--plot", options.plot, "Draw the values at the end to this file: .svg, .png, .pdf or .dot")
      ->type_name("FILE");
  add_choice(app, "--plot-as", options.form,
             {{"curves", ChartForm::curves},
              {"bars", ChartForm::bars},
              {"pie", ChartForm::pie},
              {"histogram", ChartForm::histogram},
              {"matrix", ChartForm::matrix}},
             "Plot values over time; the newest values as bars, shares or a matrix of pairs; or their "
             "frequencies [curves]")
      ->needs("--plot");
}

bool is_per_second(const MeasureOptions& options, const Definition& definition) {
  const bool is_asked =
      options.mode == Mode::since_start_per_second || options.mode == Mode::since_last_per_second;
  return is_asked && definition.is_over_time();
}

}  // namespace

void add_measure_options(CLI::App& app, MeasureOptions& options) {
  add_watch_options(app, options, "readings");
  add_what_is_measured(app, options);
  add_modes(app, options);
  add_alerts_and_plots(app, options);
  app.add_flag("--centralised", options.centralised,
               "Evaluate the metrics in this process instead of on the servers of the nodes");
  app.add_flag("--push", options.push,
               "Let servers evaluate once per --interval and send only changed values");
  app.add_flag("--list", options.list, "List what can be measured now: metrics, objects and probes");
  app.add_flag("--lines", options.lines, "Print lines, as without a terminal");
  add_colour(app, options.colour);
  note_scope(app, options.asked);
}

void complete(MeasureOptions& options) {
  for (const auto& [option, pattern] :
       {std::pair("--objects", options.objects), std::pair("--partners", options.partners),
        std::pair("--regions", options.regions)}) {
    const auto fault = pattern.empty() ? std::string_view() : glob_fault(pattern);
    if (!fault.empty())
      throw ConfigurationError(fmt::format("{} '{}': the pattern {}", option, pattern, fault));
  }
  if (!options.plot.empty()) check_plot_file(options.plot);
  if (options.push &&
      (options.interval < ScopeBounds::shortest_look || options.interval > ScopeBounds::longest_look))
    throw ConfigurationError(fmt::format("--interval: with --push, expected {} ms to {} h",
                                         ScopeBounds::shortest_look.count(),
                                         ScopeBounds::longest_look.count()));
  for (const std::string& text : options.alerts) {
    options.rules.push_back(alert_rule(text));
    const std::string& metric = options.rules.back().metric;
    if (std::ranges::find(options.metrics, metric) == options.metrics.end())
      options.metrics.push_back(metric);
  }
}

void check_plot(const MeasureOptions& options, const Definition& definition) {
  if (options.plot.empty() || options.form != ChartForm::matrix) return;
  const auto given = definition.given.size() - (definition.is_stream() ? 1 : 0);
  if (given == 2) return;
  throw ConfigurationError(
      fmt::format("--plot-as matrix: {} has values of {}; a matrix needs a metric of two objects, such as "
                  "Bandwidth_by_partner(Process p, Process partner, TimeInterval time)",
                  definition.name, given == 0 ? "no object" : counted(given, "object")));
}

Preparation preparation_for(const MeasureOptions& options) {
  return {.summary = options.summary,
          .with_partners = !options.partners.empty() || options.summary == Summary::partners,
          .with_regions = !options.regions.empty() || options.summary == Summary::regions};
}

metrics::DisplayUnit unit_for(const MeasureOptions& options, const Definition& definition) {
  return is_per_second(options, definition) ? metrics::per_second(definition.unit) : definition.unit;
}

MeasurementChoice choice_for(const MeasureOptions& options, const Definition& definition) {
  MeasurementChoice choice;
  const bool is_last = options.mode == Mode::since_last || options.mode == Mode::since_last_per_second;
  choice.span = is_last ? metrics::Span::since_last : metrics::Span::since_start;
  choice.per_second = is_per_second(options, definition);
  choice.cut = options.cut;
  choose_objects(choice, definition, Summary::objects, options.objects, "--objects");
  choose_objects(choice, definition, Summary::partners, options.partners, "--partners");
  choose_objects(choice, definition, Summary::regions, options.regions, "--regions");
  return choice;
}

}  // namespace eventspace
