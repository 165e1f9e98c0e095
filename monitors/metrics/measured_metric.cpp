#include "monitors/metrics/measured_metric.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "paths/parameters/nearest.h"
#include "scopes/expressions/expression.h"
#include "scopes/metrics/language/built_in_metrics.h"
#include "tuplespace/system/error.h"

namespace eventspace {
namespace {

using metrics::BuiltInMetric;
using metrics::Definition;
using metrics::MetricLibrary;

/// A metric of one process, or node, around a built-in one.
Definition definition_of_built_in(const BuiltInMetric& metric, MetricLibrary library) {
  if (!metric.takes_objects() || metric.takes_condition())
    throw ConfigurationError(
        fmt::format("metric {} cannot be measured by itself; write a metric that uses it: {}", metric.name,
                    metrics::signature(metric)));
  const auto number = static_cast<std::uint32_t>(library.metrics().size());
  const auto faults = library.add(fmt::format(
      "Measured_({} o, {} time) {{ RETURN {}(o, time); }}", metric.is_of_nodes() ? "Node" : "Process",
      metric.source == metrics::Source::present ? "TimePoint" : "TimeInterval", metric.name));
  if (!faults.empty()) throw ConfigurationError(fmt::format("metric {}: {}", metric.name, faults[0].text));
  Definition made = metrics::define(library.metrics(), number);
  made.name = metric.name;
  return made;
}

Definition definition_of(const std::string& name, const MetricLibrary& library) {
  if (const auto number = library.find(name)) return metrics::define(library.metrics(), *number);
  if (const auto built_in = metrics::built_in_metric_named(name))
    return definition_of_built_in(metrics::built_in_metrics()[*built_in], library);
  std::vector<std::string_view> known;
  for (const metrics::Metric& metric : library.metrics()) known.push_back(metric.name);
  for (const BuiltInMetric& metric : metrics::built_in_metrics()) known.push_back(metric.name);
  const auto near = nearest(name, known);
  throw ConfigurationError(fmt::format("there is no metric {}{}; `eventspace metrics` lists them", name,
                                       near.empty() ? "" : fmt::format("; did you mean {}?", near)));
}

}  // namespace

std::vector<Definition> definitions_of(const std::vector<std::string>& names, MetricLibrary library) {
  std::vector<Definition> made;
  for (const std::string& name : names) made.push_back(definition_of(name, library));
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
