#pragma once

#include <string>

#include "pathmaps/plan/plan.h"

namespace eventspace {

// Look up a name from the command line. Throw ConfigurationError with the known names if it is unknown.

NodeIndex require_node(const Plan& plan, const std::string& name);
const CollectivePlan& require_collective(const Plan& plan, const std::string& name);
const ScopeTree& require_scope(const Plan& plan, const std::string& name);

}  // namespace eventspace
