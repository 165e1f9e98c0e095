#include "scopes/metrics/measured_metric.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <set>
#include <string_view>

#include <eventspace/error.h>
#include "paths/parameters/nearest.h"
#include "scopes/expressions/expression.h"
#include "scopes/metrics/language/built_in_metrics.h"

namespace eventspace {
namespace {

using metrics::BuiltInMetric;
using metrics::Definition;
using metrics::MetricLibrary;

constexpr std::array<std::string_view, 4> summaries{"", "objects", "partners", "regions"};

/// The metric with a value for each object, as requested by the summary.
Definition defined(const MetricLibrary& library, std::uint32_t number, std::string_view name,
                   const Preparation& preparation) {
  const Summary summary = preparation.summary;
  const metrics::Metric& metric = library.metrics()[number];
  std::set<std::uint32_t> each;
  if (summary != Summary::as_defined) {
    const auto parameter = parameter_for(summary, metric.parameters);
    if (!parameter)
      throw ConfigurationError(fmt::format("{}each {}: the metric {} has no parameter for that",
                                           preparation.option_prefix,
                                           summaries[static_cast<std::size_t>(summary)], name));
    each.insert(*parameter);
  }
  Definition made = metrics::define(library.metrics(), number, each);
  made.name = name;
  return made;
}

/// A metric of one process, or node, around a built-in one.
std::string text_around(const BuiltInMetric& metric, const Preparation& preparation) {
  const bool has_partners = preparation.with_partners && metric.has_partners;
  const bool has_regions = preparation.with_regions && metric.is_counted();
  return fmt::format("Measured_({} o{}{}, {} time) {{ RETURN {}(o{}{}, time); }}",
                     metric.is_of_nodes() ? "Node" : "Process", has_partners ? ", Process[] partners" : "",
                     has_regions ? ", Region[] regions" : "",
                     metric.source == metrics::Source::present ? "TimePoint" : "TimeInterval", metric.name,
                     has_partners ? ", partners" : "", has_regions ? ", regions" : "");
}

Definition definition_of_built_in(const BuiltInMetric& metric, MetricLibrary library,
                                  const Preparation& preparation) {
  if (!metric.takes_objects() || metric.takes_condition())
    throw ConfigurationError(
        fmt::format("metric {} cannot be measured by itself; write a metric that uses it: {}", metric.name,
                    metrics::signature(metric)));
  const auto number = static_cast<std::uint32_t>(library.metrics().size());
  const auto faults = library.add(text_around(metric, preparation));
  if (!faults.empty()) throw ConfigurationError(fmt::format("metric {}: {}", metric.name, faults[0].text));
  return defined(library, number, metric.name, preparation);
}

Definition definition_of(const std::string& name, const MetricLibrary& library,
                         const Preparation& preparation) {
  if (const auto number = library.find(name)) return defined(library, *number, name, preparation);
  if (const auto built_in = metrics::built_in_metric_named(name))
    return definition_of_built_in(metrics::built_in_metrics()[*built_in], library, preparation);
  std::vector<std::string_view> known;
  for (const metrics::Metric& metric : library.metrics()) known.push_back(metric.name);
  for (const BuiltInMetric& metric : metrics::built_in_metrics()) known.push_back(metric.name);
  const auto near = nearest(name, known);
  throw ConfigurationError(fmt::format("there is no metric {}{}; `eventspace metrics` lists them", name,
                                       near.empty() ? "" : fmt::format("; did you mean {}?", near)));
}

}  // namespace

std::optional<std::uint32_t> parameter_for(Summary what, std::span<const metrics::Parameter> parameters) {
  std::uint32_t before = what == Summary::partners ? 1 : 0;
  for (std::uint32_t i = 0; i < parameters.size(); ++i) {
    const metrics::Base base = parameters[i].type.base;
    const bool is_meant = what == Summary::regions ? base == metrics::Base::region : metrics::is_object(base);
    if (is_meant && before-- == 0) return i;
  }
  return std::nullopt;
}

std::vector<std::string> metric_names(const MetricLibrary& library) {
  std::vector<std::string> names;
  for (const metrics::Metric& metric : library.metrics()) names.push_back(metric.name);
  for (const metrics::BuiltInMetric& metric : metrics::built_in_metrics())
    if (metric.takes_objects() && !metric.takes_condition()) names.push_back(metric.name);
  return names;
}

void choose_objects(metrics::MeasurementChoice& choice, const Definition& definition, Summary of,
                    const std::string& pattern, std::string_view option) {
  if (pattern.empty()) return;
  const auto parameter = parameter_for(of, definition.parameters);
  if (!parameter)
    throw ConfigurationError(
        fmt::format("{}: the metric {} has no parameter for that", option, definition.name));
  choice.objects[*parameter] = pattern;
}

std::vector<Definition> definitions_of(const std::vector<std::string>& names, const MetricLibrary& library,
                                       const Preparation& preparation) {
  std::vector<Definition> made;
  made.reserve(names.size());
  for (const std::string& name : names) made.push_back(definition_of(name, library, preparation));
  return made;
}

std::string condition_for(const std::vector<Definition>& definitions) {
  std::set<std::string> parts;
  for (const Definition& definition : definitions) {
    for (const metrics::Counter& counter : definition.counters) {
      parts.insert(fmt::format("({})", counter.condition));
      if (counter.by_region) parts.insert(fmt::format("({})", metrics::region_condition));
    }
    for (const metrics::Sampler& sampler : definition.samplers)
      parts.insert(fmt::format("(probe == '{}')", sampler.probe));
  }
  const std::string condition = fmt::format("{}", fmt::join(parts, " or "));
  if (parts.empty()) return "false";
  return condition.size() > Expression::longest ? "true" : condition;
}

}  // namespace eventspace
