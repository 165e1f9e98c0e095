#pragma once

// Private to scopes/.

#include <vector>

#include "scopes/metrics/distribution/division.h"
#include "scopes/tree/scope_tree.h"
#include "scopes/wrappers/scope_wrapper.h"

namespace eventspace {

/// The wrapper "metric": evaluates parts of metrics over the events that are read below it, and sends what
/// they yield instead of the events (ViewParcel::Of::metric). It keeps what it has until its view has
/// arrived, and takes each event once, also if views are repeated.
///
/// In a standing scope (ScopeTree::look) it sends nothing while nothing that it evaluates has changed: then
/// it takes the reports of processes out of the view, too, so that the view is no news.
ScopeWrapperInfo metric_wrapper();

namespace metrics {

/// Puts the wrapper on each part of `tree` that runs in a place of its own and reads there, so that each
/// server evaluates `parts` over its own events. The parts keep their order: Tokens::metric is the number in
/// it. Whether the scope is a standing one must be decided before. Pure.
void evaluate_at_servers(ScopeTree& tree, const std::vector<ServerPart>& parts);

}  // namespace metrics
}  // namespace eventspace
