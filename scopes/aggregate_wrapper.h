#pragma once

#include "scopes/scope_wrappers.h"

namespace eventspace {

/// The wrapper "aggregate": makes numbers of events, one aggregate (tuplespace/aggregate.h) for each group.
/// It takes what wrappers below it have made of theirs too, so it can stand on every level of a tree.
ScopeWrapperInfo aggregate_wrapper();

}  // namespace eventspace
