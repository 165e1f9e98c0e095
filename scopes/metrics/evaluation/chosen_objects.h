#pragma once

// Private to scopes/.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "scopes/metrics/evaluation/definition.h"
#include "scopes/metrics/evaluation/observed_objects.h"

namespace eventspace::metrics {

/// The objects that are given for a parameter: which numbers of ObservedObjects.
using Chosen = std::vector<bool>;

/// Globs over the names of objects, by the number of the parameter; without one, all are chosen.
using ObjectPatterns = std::map<std::uint32_t, std::string>;

/// Brings `chosen`, which has an entry for each parameter, up to date: appends objects that are new.
void choose_objects(const Definition& definition, const ObjectPatterns& patterns,
                    const ObservedObjects& objects, std::vector<Chosen>& chosen);

}  // namespace eventspace::metrics
