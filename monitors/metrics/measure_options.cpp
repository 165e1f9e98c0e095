#include "monitors/metrics/measure_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <utility>

#include "monitors/cli/checked_values.h"
#include "monitors/questions/question_options.h"
#include "monitors/text/counted.h"
#include "paths/parameters/glob.h"
#include "scopes/tree/scope_bounds.h"
#include "tuplespace/system/error.h"

namespace eventspace {
namespace {

using metrics::CutRegions;
using metrics::Definition;
using metrics::MeasurementChoice;
using Mode = MeasureOptions::Mode;

/// Chooses the objects of a parameter.
void choose(MeasurementChoice& choice, const Definition& definition, Summary of, const std::string& pattern,
            std::string_view option) {
  if (pattern.empty()) return;
  const auto parameter = parameter_for(of, definition.parameters);
  if (!parameter)
    throw ConfigurationError(
        fmt::format("{}: the metric {} has no parameter for that", option, definition.name));
  choice.objects[*parameter] = pattern;
}

void add_modes(CLI::App& app, MeasureOptions& options) {
  add_choice(app, "--each", options.summary,
             {{"objects", Summary::objects}, {"partners", Summary::partners}, {"regions", Summary::regions}},
             "A value for each of these, where a metric is over several of them: the objects of its first "
             "parameter, the partners, or the regions [one over all]");
  add_choice(
      app, "--cut-regions", options.cut,
      {{"partly", CutRegions::partly}, {"whole", CutRegions::whole}, {"left-out", CutRegions::left_out}},
      "What counts of a region that begins before the measurement or is open at a reading: the part "
      "of it in between; all of it, once it has ended; or nothing of one that began before [partly]");
  add_choice(app, "--mode", options.mode,
             {{"since-start", Mode::since_start},
              {"since-last", Mode::since_last},
              {"since-start-per-second", Mode::since_start_per_second},
              {"since-last-per-second", Mode::since_last_per_second}},
             "The interval of a value: from the start of the measurement, or from the reading before; also "
             "divided by its length");
}

void add_what_is_measured(CLI::App& app, MeasureOptions& options) {
  app.add_option("METRIC", options.metrics,
                 "The metrics, by their names. Without one, lists what can be measured, as --list does");
  app.add_option("--file", options.files, "Files with more metrics; - is standard input")->type_name("FILE");
  app.add_option(
         "--objects", options.objects,
         "Only the objects whose names match this pattern, for the first parameter of the metrics [all]")
      ->type_name("PATTERN");
  app.add_option(
         "--partners", options.partners,
         "Only the partners whose names match this pattern, for the second parameter for objects [all]")
      ->type_name("PATTERN");
  app.add_option("--regions", options.regions,
                 "Only the regions whose names match this pattern, for the first parameter for regions [all]")
      ->type_name("PATTERN");
}

void add_alerts_and_plots(CLI::App& app, MeasureOptions& options) {
  app.add_option("--alert", options.alerts,
                 "Ends with status 1 when this holds for a value: METRIC > NUMBER, with a unit, and `for "
                 "TIME` behind it if it has to hold for so long")
      ->type_name("CONDITION");
  app.add_option("--alert-run", options.alert_run,
                 "Runs this command of the shell for each alert, and goes on; the status at the end is 1")
      ->type_name("COMMAND")
      ->needs("--alert");
  app.add_option("--alert-group", options.alert_group,
                 "Makes a group of `eventspace group` of the processes for which an alert holds at the time, "
                 "and goes on; the status at the end is 1 if there was one")
      ->type_name("NAME")
      ->needs("--alert");
  app.add_option("--plot", options.plot,
                 "At the end, draws the values in a file .svg, .png, .pdf or .dot, with Graphviz")
      ->type_name("FILE");
  add_choice(
      app, "--plot-as", options.form,
      {{"curves", ChartForm::curves},
       {"bars", ChartForm::bars},
       {"pie", ChartForm::pie},
       {"histogram", ChartForm::histogram},
       {"matrix", ChartForm::matrix}},
      "The form of the plot: values over time; the newest of each object as bars, as shares, or, of pairs of "
      "objects, as a matrix; or how often values occur [curves]")
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
               "Evaluates the metrics here, over events that travel, instead of at the servers of the nodes");
  app.add_flag("--push", options.push,
               "Servers look as often as --interval says, and send values as soon as there are new ones, "
               "instead of being asked: a reading comes when something has changed");
  app.add_flag("--list", options.list, "Lists what can be measured now: metrics, objects and probes");
  app.add_flag("--lines", options.lines, "Writes a line for each value, as it does without a terminal");
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
    throw ConfigurationError(
        fmt::format("--interval: with --push, servers look each {} ms to {} h, and no more or less often",
                    ScopeBounds::shortest_look.count(), ScopeBounds::longest_look.count()));
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
  choose(choice, definition, Summary::objects, options.objects, "--objects");
  choose(choice, definition, Summary::partners, options.partners, "--partners");
  choose(choice, definition, Summary::regions, options.regions, "--regions");
  return choice;
}

}  // namespace eventspace
