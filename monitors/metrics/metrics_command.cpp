#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include <eventspace/error.h>
#include "monitors/cli/command.h"
#include "monitors/cli/options.h"
#include "monitors/cli/result_table.h"
#include "paths/parameters/nearest.h"
#include "scopes/metrics/language/built_in_metrics.h"
#include "scopes/metrics/metric_files.h"

namespace eventspace {
namespace {

using metrics::BuiltInMetric;
using metrics::Metric;
using metrics::MetricLibrary;
using metrics::Parameter;

struct MetricsOptions {
  std::vector<std::filesystem::path> files;
  std::string source;
  Format format{Format::text};
};

std::string parameters_of(const Metric& metric) {
  std::vector<std::string> parameters;
  for (const Parameter& parameter : metric.parameters)
    parameters.push_back(fmt::format("{} {}", metrics::written(parameter.type), parameter.name));
  return fmt::format("{}", fmt::join(parameters, ", "));
}

/// The comment above a metric, in one line.
std::string purpose_of(const Metric& metric) {
  std::string text;
  for (std::size_t at = 0; metric.source.compare(at, 2, "//") == 0;) {
    const std::size_t end = metric.source.find('\n', at);
    const std::size_t begin = metric.source.find_first_not_of("/ ", at);
    if (begin < end) text += (text.empty() ? "" : " ") + metric.source.substr(begin, end - begin);
    at = end + 1;
  }
  return text;
}

void add_built_in(ResultTable& table) {
  for (const BuiltInMetric& metric : metrics::built_in_metrics())
    table.add({metric.name, "built in", metrics::signature(metric), to_string(metric.unit), metric.help});
}

void print_list(const MetricLibrary& library, const MetricsOptions& options) {
  const std::size_t shipped = MetricLibrary::shipped().metrics().size();
  ResultTable table({"metric", "from", "parameters", "unit", "purpose"});
  std::size_t number = 0;
  for (const Metric& metric : library.metrics()) {
    const bool is_shipped = number++ < shipped;
    if (is_shipped && !options.files.empty()) continue;
    table.add({metric.name, is_shipped ? "library" : "file", parameters_of(metric), metric.unit.label,
               purpose_of(metric)});
  }
  if (options.files.empty()) add_built_in(table);
  table.print(std::cout, options.format);
}

void print_source(const MetricLibrary& library, const std::string& name) {
  if (const auto number = library.find(name)) {
    std::cout << library.metrics()[*number].source << '\n';
    return;
  }
  if (metrics::built_in_metric_named(name))
    throw ConfigurationError(fmt::format("--source {}: this metric is built in, and has no text", name));
  std::vector<std::string_view> known;
  for (const Metric& metric : library.metrics()) known.push_back(metric.name);
  throw ConfigurationError(
      fmt::format("--source {}: there is no such metric{}", name, hint(name, known, known.size())));
}

int run(const MetricsOptions& options) {
  const MetricFiles read = read_metric_files(options.files);
  for (const std::string& fault : read.faults) std::cerr << fault << '\n';
  if (!read.faults.empty()) return exit_usage;
  if (options.source.empty())
    print_list(read.library, options);
  else
    print_source(read.library, options.source);
  return exit_fine;
}

}  // namespace

Command metrics_command(const CommandContext& /*context*/) {
  const CommandGuide guide{
      .group = CommandGroup::pathmaps,
      .place = 3,
      .examples = {{"eventspace metrics", "all metrics that are built in or come with EventSpace"},
                   {"eventspace metrics --source Mean_iteration_time", "the definition of one metric"}},
      .statuses = {{exit_usage, "a file has faults, or usage error"}}};
  return {"metrics", "List metrics, and check files of metrics",
          with_options<MetricsOptions>(
              [](CLI::App& app, MetricsOptions& options) {
                app.add_option("FILE", options.files,
                               "Files of metrics to check and list; - is standard input");
                app.add_option("--source", options.source, "Print the definition of this metric")
                    ->type_name("METRIC");
                add_format(app, options.format);
              },
              run),
          guide};
}

}  // namespace eventspace
