#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "scopes/metrics/history/observed_objects.h"
#include "scopes/metrics/language/definition.h"

namespace eventspace::metrics {

/// Which objects are given for a parameter, by their number in ObservedObjects.
using Chosen = std::vector<bool>;

/// Globs over the names of objects, by the number of the parameter. A parameter without a glob takes all
/// objects.
using ObjectPatterns = std::map<std::uint32_t, std::string>;

/// Appends new objects to `chosen`, which has an entry for each parameter.
void choose_objects(const Definition& definition, const ObjectPatterns& patterns,
                    const ObservedObjects& objects, std::vector<Chosen>& chosen);

}  // namespace eventspace::metrics
