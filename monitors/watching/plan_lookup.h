#pragma once

// Private to monitors/.

#include <string>

#include "pathmaps/plan/plan.h"

namespace eventspace {

// What a user names on the command line, or ConfigurationError with the names that there are.

NodeIndex require_node(const Plan& plan, const std::string& name);
const CollectivePlan& require_collective(const Plan& plan, const std::string& name);
const ScopeTree& require_scope(const Plan& plan, const std::string& name);

}  // namespace eventspace
