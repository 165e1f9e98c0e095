#pragma once

// Private to scopes/.

#include "scopes/wrappers/scope_wrapper.h"

namespace eventspace {

/// The wrapper "aggregate": makes numbers from events, one aggregate (paths/views/aggregate.h) for each group
/// of events. It also combines the aggregates that wrappers below it made, so each level of a tree may have
/// one.
ScopeWrapperInfo aggregate_wrapper();

}  // namespace eventspace
