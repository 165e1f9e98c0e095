#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scopes/metrics/evaluation/measurement.h"
#include "scopes/metrics/language/definition.h"
#include "scopes/metrics/metric_files.h"

namespace eventspace {

/// The summary mode of a metric with one value over several objects: for which of them there is a separate
/// value.
enum class Summary : std::uint8_t {
  as_defined,  ///< one value over all
  objects,     ///< a value for each object of the first parameter for objects
  partners,    ///< a value for each object of the second parameter for objects
  regions      ///< a value for each region of the first parameter for regions
};

/// How metrics are prepared. Plain data.
struct Preparation {
  Summary summary{Summary::as_defined};
  // Whether a built-in metric gets parameters for its partners and regions.
  bool with_partners{false};
  bool with_regions{false};
  std::string_view option_prefix{"--"};  ///< what stands before "each" in the texts of errors
};

/// The number of the parameter for the first objects, the second ones, or the first regions; nullopt if the
/// metric does not have such a parameter.
std::optional<std::uint32_t> parameter_for(Summary what, std::span<const metrics::Parameter> parameters);

/// Prepares the metrics of these names. A built-in metric is measured for each process, or, if it is of
/// nodes, for each node. Throws ConfigurationError if a name is unknown (with near names), or if the metric
/// cannot be measured or lacks the parameter for the summary.
std::vector<metrics::Definition> definitions_of(const std::vector<std::string>& names,
                                                const metrics::MetricLibrary& library,
                                                const Preparation& preparation = {});

/// The names of all metrics that can be measured: the library's, and the built-in metrics without a
/// condition.
std::vector<std::string> metric_names(const metrics::MetricLibrary& library);

/// Chooses the objects whose names match `pattern`; empty: all. `option` begins the text of an error. Throws
/// ConfigurationError if the metric does not have such a parameter.
void choose_objects(metrics::MeasurementChoice& choice, const metrics::Definition& definition, Summary of,
                    const std::string& pattern, std::string_view option);

/// Returns a condition (docs/expressions.md) that holds for all events that the definitions need, so that
/// only these are sent. It is "false" if they need none, and "true" if the condition would be longer than an
/// expression may be.
std::string condition_for(const std::vector<metrics::Definition>& definitions);

}  // namespace eventspace
