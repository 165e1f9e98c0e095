#pragma once

#include "scopes/scope_wrappers.h"

namespace eventspace {

/// `sort: {by: end, descending: false}` orders the events by start, end, duration or thread number; equal
/// ones stay in the order they came. Operations in flight have no end and stand last. Times are compared as
/// ticks: see reduce.
ScopeWrapperInfo sort_wrapper();

}  // namespace eventspace
