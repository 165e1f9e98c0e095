#pragma once

#include <span>
#include <string>

#include "scopes/metrics/language/typed_tree.h"

namespace eventspace::metrics {

/// Returns the result of a metric as text, with all parentheses, the variables that each aggregate binds, and
/// the values in place of variables. A variable that was renamed, because another has its name, has a ' for
/// each time. `known` are the metrics that it can use. Parts after the first 10 000 are replaced by "...".
std::string to_text(const Metric& metric, std::span<const Metric> known);

/// Returns a short text of one node, without its operands, as in pictures: "SUM[vt]", "Send_volume", "-".
std::string label(const TypedNode& node, const Metric& metric, std::span<const Metric> known);

}  // namespace eventspace::metrics
