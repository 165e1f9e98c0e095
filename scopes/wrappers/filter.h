#pragma once

#include "scopes/wrappers/scope_wrapper.h"

namespace eventspace {

/// The wrapper "filter" passes the events that meet all given conditions and drops the others, counting them
/// in Loss::filtered: `filter: {where: "verb == 'take' and bytes > 4KiB", longer_than: 1ms, rate: 100}`.
///
/// - `where`: this expression (scopes/expressions/expression.h) is true for the event;
/// - `verbs`, `threads`, `paths`: its verb is listed, the name of its thread or path matches this glob;
/// - `longer_than`, `window`: it took longer, or ended within this time before the pull, by the clock of the
///   process that recorded it. Operations in flight meet both; an event whose process the view does not
///   report meets neither;
/// - `every`: its sequence number is a multiple of this, so the same events pass in all scopes;
/// - `rate`: RateLimit passes it; only events that meet all other conditions count.
ScopeWrapperInfo filter_wrapper();

}  // namespace eventspace
