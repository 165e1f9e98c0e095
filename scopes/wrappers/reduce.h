#pragma once

// Private to scopes/.

#include "scopes/wrappers/scope_wrapper.h"

namespace eventspace {

/// `reduce: {keep: latest}` keeps one finished event of all that its children yield: the latest or earliest
/// to end, the longest or the shortest. Of the operations in flight it keeps the one begun last, as
/// "latest" and "shortest" do, or first. What it lets go is counted in Loss::reduced. Times are compared
/// as ticks: the events must come from one clock, as those of one thread, process or node do.
ScopeWrapperInfo reduce_wrapper();

}  // namespace eventspace
