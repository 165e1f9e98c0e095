#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "scopes/metrics/language/typed_tree.h"

namespace eventspace::metrics {

/// Returns the text of metric `number` of a library, after the texts of the earlier metrics whose names
/// appear in it, or in those. A library with only this text has the metric as its last one, with the same
/// meaning. Takes time in proportion to the text of the library. Pure.
std::string self_contained_text(std::span<const Metric> library, std::uint32_t number);

}  // namespace eventspace::metrics
