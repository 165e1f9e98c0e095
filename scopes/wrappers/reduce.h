#pragma once

#include "scopes/wrappers/scope_wrapper.h"

namespace eventspace {

/// The wrapper "reduce" keeps the first of all events by an order: `reduce: {keep: latest, most: 1}` keeps
/// the event that ended last; `earliest`, `longest` and `shortest` are the other orders. It also keeps as
/// many operations in flight: with `latest` and `shortest` the ones that began last, otherwise the ones that
/// began first. Dropped events are counted in Loss::reduced. Times are compared as ticks, so the events must
/// be of one clock, such as the events of one node; put a `convert` below otherwise.
ScopeWrapperInfo reduce_wrapper();

}  // namespace eventspace
