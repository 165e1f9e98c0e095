#pragma once

// Private to monitors/.

#include "scopes/tree/scope_tree.h"

namespace eventspace {

/// `scope` without what its wrappers do to events: the newest event of each of its trace elements, gathered
/// by the same tree in the same places. So every path can be shown, and counts are of all events. Pure.
ScopeTree newest_of_each(ScopeTree scope);

}  // namespace eventspace
