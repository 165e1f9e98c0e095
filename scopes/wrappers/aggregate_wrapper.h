#pragma once

#include "scopes/wrappers/scope_wrapper.h"

namespace eventspace {

/// The wrapper "aggregate": computes numbers from events, one aggregate (paths/views/aggregate.h) for each
/// group of events. It also combines the aggregates of wrappers below it, so each level of a tree may have
/// one.
ScopeWrapperInfo aggregate_wrapper();

}  // namespace eventspace
