#pragma once

// Private to scopes/.

#include "scopes/wrappers/scope_wrapper.h"

namespace eventspace {

/// The wrapper "aggregate": makes numbers of events, one aggregate (paths/views/aggregate.h) for each group.
/// It takes what wrappers below it have made of theirs too, so it can stand on every level of a tree.
ScopeWrapperInfo aggregate_wrapper();

}  // namespace eventspace
