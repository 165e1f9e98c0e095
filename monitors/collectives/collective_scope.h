#pragma once

#include <filesystem>

#include "pathmaps/plan/plan.h"

namespace eventspace {

/// Returns the scope through which monitors watch collective operations. This is the pathmap's scope
/// `collectives` if it yields unread events and `records` is false, else a generated one that yields all
/// records (events_of_collectives). Throws ConfigurationError when the pathmap has no collectives, or records
/// none of their operations.
ScopeTree collective_scope(const std::filesystem::path& file, const Plan& plan, bool records = false);

}  // namespace eventspace
