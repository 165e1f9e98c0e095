#pragma once

#include "scopes/wrappers/scope_wrapper.h"

namespace eventspace {

/// The wrapper "sort" orders the events by start, end, duration or thread number, stably: `sort: {by: end,
/// descending: false}`. Operations in flight, which do not have an end, come last. Sequences that are already
/// in order are merged instead of sorted (record_order.h). Times are compared as ticks, so events of
/// different clocks need a `convert` below.
ScopeWrapperInfo sort_wrapper();

/// The wrapper "merge" joins the views of its children ordered by time, `end` or `start`: `merge: {by: end}`.
/// If the children's views are already in that order, like views of single trace elements and of other
/// merges, this costs O(n log k) for n events of k children, otherwise as much as sorting. Ticks and
/// operations in flight are treated as by "sort".
ScopeWrapperInfo merge_wrapper();

}  // namespace eventspace
