#pragma once

// Private to monitors/.

#include <filesystem>

#include "pathmaps/plan/plan.h"

namespace eventspace {

/// The scope through which monitors look at collective operations: `collectives` of the pathmap, if it has
/// one of unread events; else, and when all records are needed, one that is made (events_of_collectives).
/// Throws ConfigurationError when the pathmap has no collectives, or records nothing of them.
ScopeTree collective_scope(const std::filesystem::path& file, const Plan& plan, bool records = false);

}  // namespace eventspace
