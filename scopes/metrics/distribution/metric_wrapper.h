#pragma once

#include <string>

#include "scopes/metrics/distribution/parts_description.h"
#include "scopes/tree/scope_tree.h"
#include "scopes/wrappers/scope_wrapper.h"

namespace eventspace {

/// The wrapper "metric": evaluates parts of metrics over the events that are read below it, and sends the
/// results instead of the events (ViewParcel::Of::metric). It keeps results until their view has arrived, and
/// takes each event once, even if views are repeated.
///
/// In a subscription (ScopeTree::look) it sends nothing while its results do not change. It then also removes
/// the reports of processes from the view, so that the view has no news.
ScopeWrapperInfo metric_wrapper();

namespace metrics {

/// Puts the wrapper on each part of `tree` that runs in a place of its own and reads there, so that each
/// server evaluates the described metrics over its own events. Tokens::metric is the index in
/// SharedParts::parts(). Decide before the call whether the scope is a subscription. Pure.
void evaluate_at_servers(ScopeTree& tree, const PartsDescription& description);

/// The value of the wrapper's parameter "metrics".
std::string text_of(const PartsDescription& description);

}  // namespace metrics
}  // namespace eventspace
