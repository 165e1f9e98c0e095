#pragma once

// Private to scopes/.

#include "scopes/wrappers/scope_wrapper.h"

namespace eventspace {

/// `filter: {where: "verb == 'take' and bytes > 4KiB", longer_than: 1ms, rate: 100}` lets pass the events
/// that meet every condition given:
///
/// - `where`: an expression (scopes/expressions/expression.h) that is true of them;
/// - `verbs`, `threads`, `paths`: the verbs, and globs for the names of thread and path;
/// - `longer_than`, `window`: took longer; ended so short a time before the pull. By the clock of the process
///   that recorded them: an event of which no process is known does not meet them, one in flight does;
/// - `every`: their number in the trace element is a multiple of it, so that the same ones pass in every
/// scope;
/// - `rate`: see RateLimit; only of events that meet all other conditions.
///
/// What it drops is counted in Loss::filtered.
ScopeWrapperInfo filter_wrapper();

}  // namespace eventspace
