#pragma once

// Private to scopes/.

#include "scopes/wrappers/scope_wrapper.h"

namespace eventspace {

/// `sort: {by: end, descending: false}` orders the events by start, end, duration or thread number; equal
/// ones stay in the order they came. Operations in flight have no end and stand last. What is in order
/// already in runs is merged instead of sorted. Times are compared as ticks: those of different clocks must
/// have gone through a `convert` before.
ScopeWrapperInfo sort_wrapper();

/// `merge: {by: end}` puts the views of its children together in the order of time, by end or start. Children
/// whose views are in that order, as those of single trace elements and of other merges are, cost
/// O(n log k) for n events of k children; others cost what sorting costs. Ticks and those in flight as above.
ScopeWrapperInfo merge_wrapper();

}  // namespace eventspace
