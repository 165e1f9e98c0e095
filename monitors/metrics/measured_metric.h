#pragma once

// Private to monitors/.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "monitors/metrics/metric_files.h"
#include "scopes/metrics/evaluation/definition.h"

namespace eventspace {

/// The summary mode: for what there is a value each, where a metric has one over several.
enum class Summary : std::uint8_t {
  as_defined,  ///< one value over all
  objects,     ///< for each object of the first parameter for objects
  partners,    ///< for each of the second parameter for objects
  regions      ///< for each of the first parameter for regions
};

/// How metrics are made ready. Plain data.
struct Preparation {
  Summary summary{Summary::as_defined};
  // Whether a built-in metric gets parameters for its partners and regions.
  bool with_partners{false};
  bool with_regions{false};
};

/// The number of the parameter for the first objects, the second ones, or the first regions; none: the metric
/// has no such parameter.
std::optional<std::uint32_t> parameter_for(Summary what, std::span<const metrics::Parameter> parameters);

/// Makes the metrics of these names ready. A built-in metric is measured for each process, or, if it is of
/// nodes, for each node. Throws ConfigurationError: with near names if there is no metric of a name, or if it
/// cannot be measured, or has no parameter for what the summary is to be.
std::vector<metrics::Definition> definitions_of(const std::vector<std::string>& names,
                                                const metrics::MetricLibrary& library,
                                                const Preparation& preparation = {});

/// Returns a condition (docs/expressions.md) that holds for all events that the definitions need, so that no
/// others travel. It is "false" if they need none, and "true" if the condition would be longer than an
/// expression may be.
std::string condition_for(const std::vector<metrics::Definition>& definitions);

}  // namespace eventspace
