#pragma once

// Private to pathmaps/.

#include <chrono>
#include <optional>

#include "pathmaps/plan/plan.h"
#include "pathmaps/reading/mapping.h"

namespace eventspace::expansion {

/// How much longer a part of a scope on a server of this priority is waited for: a server in the idle class
/// that competes with an application for a processor may get it only after seconds.
std::chrono::nanoseconds allowance_of(Priority priority) noexcept;

/// Returns the value of the key `priority`, if it is given.
std::optional<Priority> read_priority(const reading::Mapping& mapping);

/// Makes each time-out of the tree longer by the greatest allowance of the servers that it waits for, and
/// says in ScopeNode::allowance how much of it that is. If allowances differ, the parts on servers with the
/// smaller ones get time-outs of their own, so that these are waited for as long as without the others.
/// `root` has a time-out.
void allow_for_priorities(ScopeNode& root, const Plan& plan);

}  // namespace eventspace::expansion
