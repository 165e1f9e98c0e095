#pragma once

#include "scopes/tree/scope_tree.h"

namespace eventspace {

/// Returns a scope that yields the newest event of each trace element that `scope` reads, and the events in
/// flight, after all wrappers of `scope`. Pure.
ScopeTree as_of_newest(ScopeTree scope);

/// Returns a scope that yields the newest event of each trace element that `scope` reads. It gathers them
/// through the same tree, on the same nodes, but does not filter or reduce them, so that every path can be
/// shown and all events are counted. Pure.
ScopeTree newest_of_each(ScopeTree scope);

}  // namespace eventspace
