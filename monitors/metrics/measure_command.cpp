#include "monitors/metrics/measure_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include "monitors/cli/checked_values.h"
#include "monitors/metrics/measured_metric.h"
#include "monitors/metrics/value_lines.h"
#include "monitors/questions/asked_watch.h"
#include "monitors/questions/question_options.h"
#include "paths/parameters/glob.h"
#include "tuplespace/system/error.h"

namespace eventspace {
namespace {

using metrics::Definition;
using metrics::Measurement;
using metrics::MeasurementChoice;

/// The aggregation modes of grid-distributed-evaluation, section 6.4.
enum class Mode : std::uint8_t { since_start, since_last, since_start_per_second, since_last_per_second };

struct MeasureOptions : WatchOptions {
  MeasureOptions() : WatchOptions{.scope = "events", .interval = std::chrono::seconds(1)} {}
  AskedScope asked{.name = "events"};
  std::vector<std::string> metrics;
  std::vector<std::filesystem::path> files;
  std::string objects;
  std::string partners;
  Mode mode{Mode::since_start};
};

std::vector<Definition> definitions_for(const MeasureOptions& options) {
  const MetricFiles read = read_metric_files(options.files);
  if (!read.faults.empty()) throw ConfigurationError(fmt::format("{}", fmt::join(read.faults, "\n")));
  return definitions_of(options.metrics, read.library);
}

/// The parameters of a metric that are objects, in their order: those it is about, then the partners.
std::vector<std::uint32_t> object_parameters(const Definition& definition) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < definition.parameters.size(); ++i) {
    if (metrics::is_object(definition.parameters[i].type.base)) numbers.push_back(i);
  }
  return numbers;
}

void choose(MeasurementChoice& choice, const Definition& definition, std::size_t which,
            const std::string& pattern, std::string_view option) {
  if (pattern.empty()) return;
  const auto parameters = object_parameters(definition);
  if (which >= parameters.size())
    throw ConfigurationError(
        fmt::format("{}: the metric {} has no parameter for that", option, definition.name));
  choice.objects[parameters[which]] = pattern;
}

MeasurementChoice choice_for(const MeasureOptions& options, const Definition& definition) {
  MeasurementChoice choice;
  const bool is_last = options.mode == Mode::since_last || options.mode == Mode::since_last_per_second;
  choice.span = is_last ? metrics::Span::since_last : metrics::Span::since_start;
  choice.per_second =
      options.mode == Mode::since_start_per_second || options.mode == Mode::since_last_per_second;
  choose(choice, definition, 0, options.objects, "--objects");
  choose(choice, definition, 1, options.partners, "--partners");
  return choice;
}

std::int64_t ns_of(Timeline::Time time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

class MeasureMonitor {
 public:
  explicit MeasureMonitor(MeasureOptions options)
      : options_(std::move(options)),
        definitions_(definitions_for(options_)),
        watch_(options_, {Played::Part::all, options_.count, options_.count},
               [this](const Plan& /*plan*/) { return asked(); }),
        lines_(std::cout, options_.format),
        start_ns_(ns_of(watch_.loop().now())) {
    for (const Definition& definition : definitions_) {
      measurements_.push_back(
          std::make_unique<Measurement>(definition, choice_for(options_, definition), watch_.names()));
      measurements_.back()->start(start_ns_);
    }
  }

  int run() {
    watch_.run(
        [this]() -> WatchLoop::Pause { return look() ? WatchLoop::Pause(options_.interval) : std::nullopt; });
    for (const auto& measurement : measurements_) explain(*measurement);
    return watch_.conclude();
  }

 private:
  /// The question for the events that the metrics need, and no others.
  [[nodiscard]] AskedScope asked() const {
    AskedScope asked = options_.asked;
    asked.question.where = condition_for(definitions_);
    return asked;
  }

  // Returns false when the output has failed.
  bool look() {
    const View view = watch_.pull();
    watch_.tally().events += view.record_count();
    const auto now = watch_.loop().now();
    bool is_written = true;
    for (const auto& measurement : measurements_) {
      measurement->take(view);
      const auto values = measurement->read(ns_of(now));
      is_written = lines_.print(
          {watch_.loop().since_begin(now), start_ns_, measurement->definition().name, measurement->lost()},
          measurement->definition().unit, values);
    }
    return is_written;
  }

  /// Says at the end why a metric has no values.
  void explain(const Measurement& measurement) const {
    if (options_.quiet) return;
    const std::string& name = measurement.definition().name;
    if (!measurement.has_objects())
      std::cerr << fmt::format("eventspace: {}: no event of an object that was asked for\n", name);
    for (const std::string& probe : measurement.silent_probes())
      std::cerr << fmt::format(
          "eventspace: {}: the probe {} was not passed; docs/probes.md says how a program "
          "gets probes\n",
          name, probe);
    if (measurement.given_up() > 0)
      std::cerr << fmt::format(
          "eventspace: {}: {} virtual times were taken without an object that had not come "
          "so far\n",
          name, measurement.given_up());
    if (measurement.repeated() > 0)
      std::cerr << fmt::format(
          "eventspace: {}: probes were passed {} times again in one virtual time, which did "
          "not count\n",
          name, measurement.repeated());
  }

  const MeasureOptions options_;
  const std::vector<Definition> definitions_;
  AskedWatch watch_;
  ValueLines lines_;
  std::int64_t start_ns_;
  std::vector<std::unique_ptr<Measurement>> measurements_;
};

void check(const MeasureOptions& options) {
  for (const auto& [option, pattern] :
       {std::pair("--objects", options.objects), std::pair("--partners", options.partners)}) {
    const auto fault = pattern.empty() ? std::string_view() : glob_fault(pattern);
    if (!fault.empty())
      throw ConfigurationError(fmt::format("{} '{}': the pattern {}", option, pattern, fault));
  }
}

void add_options(CLI::App& app, MeasureOptions& options) {
  add_watch_options(app, options, "readings");
  app.add_option("METRIC", options.metrics, "The metrics, by their names; `eventspace metrics` lists them")
      ->required();
  app.add_option("--file", options.files, "Files with more metrics; - is standard input")->type_name("FILE");
  app.add_option(
         "--objects", options.objects,
         "Only the objects whose names match this pattern, for the first parameter of the metrics [all]")
      ->type_name("PATTERN");
  app.add_option(
         "--partners", options.partners,
         "Only the partners whose names match this pattern, for the second parameter for objects [all]")
      ->type_name("PATTERN");
  add_choice(app, "--mode", options.mode,
             {{"since-start", Mode::since_start},
              {"since-last", Mode::since_last},
              {"since-start-per-second", Mode::since_start_per_second},
              {"since-last-per-second", Mode::since_last_per_second}},
             "The interval of a value: from the start of the measurement, or from the reading before; also "
             "divided by "
             "its length");
  note_scope(app, options.asked);
}

}  // namespace

Command measure_command() {
  const CommandGuide guide{
      .group = CommandGroup::watching,
      .examples = {{"eventspace measure app.yaml Mean_iteration_time", "of each process, each second"},
                   {"eventspace measure app.yaml Send_volume --mode since-last-per-second --objects 'p*'",
                    "bytes a second that these processes send"}},
      .statuses = {{exit_unreachable, "nothing was seen, and no pull was whole"}}};
  return {"measure",
          "Measures metrics: while a program runs, or in a recording",
          [](CLI::App& app) {
            const auto options = std::make_shared<MeasureOptions>();
            add_options(app, *options);
            return [options] {
              check(*options);
              return MeasureMonitor(*options).run();
            };
          },
          {},
          guide};
}

}  // namespace eventspace
