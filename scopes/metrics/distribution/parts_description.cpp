#include "scopes/metrics/distribution/parts_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include <eventspace/error.h>
#include "paths/parameters/glob.h"
#include "scopes/metrics/distribution/parts_layout.h"
#include "scopes/metrics/distribution/server_part_bounds.h"
#include "scopes/metrics/metric_library.h"
#include "tuplespace/system/fnv.h"

namespace eventspace::metrics {
namespace {

/// A hash of the counts that the tokens of a part depend on.
std::uint64_t fingerprint_of(const std::vector<ServerPart>& parts) {
  std::string counts;
  for (const ServerPart& part : parts) {
    const Definition& definition = part.definition;
    for (const std::size_t count :
         {definition.parameters.size(), definition.variables.size(), definition.counters.size(),
          definition.samplers.size(), definition.streams.size(), definition.collections.size(),
          part.counters.size(), part.samplers.size(), node_count(definition)})
      counts += fmt::format("{} ", count);
  }
  return fnv1a<std::uint64_t>(counts);
}

void check(bool holds, const char* fault) {
  if (!holds) throw ConfigurationError(fmt::format("the metrics that a client sent: {}", fault));
}

std::set<std::uint32_t> each_of(const PartsDescription::Measured& measured, const Metric& metric) {
  for (const std::uint32_t parameter : measured.each) {
    const bool is_several = parameter < metric.parameters.size() &&
                            metric.parameters[parameter].type.dimensions == 1 &&
                            is_object_or_region(metric.parameters[parameter].type.base);
    check(is_several, "a value is wanted for each object of a parameter that does not take several");
  }
  return {measured.each.begin(), measured.each.end()};
}

ObjectPatterns patterns_of(const PartsDescription::Measured& measured, const Metric& metric) {
  ObjectPatterns patterns;
  for (const auto& [parameter, glob] : measured.objects) {
    check(parameter < metric.parameters.size(), "objects are chosen for a parameter that does not exist");
    check(glob_fault(glob).empty(), "the pattern of objects is malformed");
    patterns[parameter] = glob;
  }
  return patterns;
}

/// The size of all definitions so far. Plain data.
struct Size {
  std::size_t nodes{0};
  std::size_t steps{0};

  void add(const Definition& definition) {
    nodes += node_count(definition);
    steps += definition.steps;
    check(nodes <= PartsDescription::max_nodes && steps <= PartsDescription::max_steps,
          "they are more than a server takes");
  }
};

ServerPart part_of(const PartsDescription::Measured& measured, Size& size) {
  MetricLibrary library;
  const auto faults = library.add(measured.text);
  if (!faults.empty())
    throw ConfigurationError(fmt::format("the metrics that a client sent: line {}, column {}: {}",
                                         faults[0].line, faults[0].column, faults[0].text));
  const Metric& metric = library.metrics().back();
  const Definition definition = define(
      library.metrics(), static_cast<std::uint32_t>(library.metrics().size() - 1), each_of(measured, metric));
  size.add(definition);
  auto made = divide(definition, patterns_of(measured, metric), measured.cut);
  if (const auto* const reason = std::get_if<Reason>(&made))
    throw ConfigurationError(fmt::format("the metrics that a client sent: a server cannot evaluate {}: {}",
                                         metric.name, to_string(*reason)));
  return std::get<Division>(std::move(made)).server;
}

}  // namespace

PartsDescription description_of(const std::vector<ServerPart>& of_metrics, const SharedParts& shared) {
  PartsDescription made;
  for (const ServerPart& part : of_metrics) {
    const Definition& definition = part.definition;
    made.metrics.push_back({definition.source, definition.each, {}, part.cut});
    for (const auto& [parameter, glob] : part.objects)
      made.metrics.back().objects.push_back({parameter, glob});
    made.start_ns = part.start_ns;
  }
  made.fingerprint = fingerprint_of(shared.parts());
  return made;
}

std::vector<ServerPart> parts_of(const PartsDescription& description) {
  std::size_t text = 0;
  for (const PartsDescription::Measured& measured : description.metrics) text += measured.text.size();
  if (description.metrics.size() > PartsDescription::max_metrics || text > PartsDescription::max_text)
    throw ConfigurationError(fmt::format(
        "{} metrics with {} bytes of text in one scope; a server takes {} metrics with {} bytes",
        description.metrics.size(), text, PartsDescription::max_metrics, PartsDescription::max_text));
  std::vector<ServerPart> of_metrics;
  of_metrics.reserve(description.metrics.size());
  Size size;
  for (const PartsDescription::Measured& measured : description.metrics) {
    of_metrics.push_back(part_of(measured, size));
    of_metrics.back().start_ns = description.start_ns;
  }
  std::vector<ServerPart> parts = SharedParts(of_metrics).parts();
  if (parts.size() > ServerPartBounds::parts)
    throw ConfigurationError(fmt::format("the metrics of one scope make {} parts; a server takes {}",
                                         parts.size(), ServerPartBounds::parts));
  check(fingerprint_of(parts) == description.fingerprint,
        "this server makes other parts of them; use the same version of EventSpace everywhere");
  return parts;
}

std::vector<std::byte> encode(const PartsDescription& description) { return wire::encoded(description); }

PartsDescription decode_description(Bytes bytes) {
  auto description = wire::decoded<PartsDescription>(bytes);
  check(description.has_value(), "their description is malformed, or of another version of EventSpace");
  return *std::move(description);
}

}  // namespace eventspace::metrics
