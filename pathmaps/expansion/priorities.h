#pragma once

#include <chrono>
#include <optional>

#include "pathmaps/plan/plan.h"
#include "pathmaps/reading/mapping.h"

namespace eventspace::expansion {

/// The additional time to wait for a part of a scope on a server of this priority: a server in the idle class
/// that competes with an application for a processor may get it only after seconds.
std::chrono::nanoseconds allowance_of(Priority priority) noexcept;

/// Returns the value of the key `priority`, if it is given.
std::optional<Priority> read_priority(const reading::Mapping& mapping);

/// Lengthens each time-out of the tree by the greatest allowance of the servers that it waits for, and stores
/// that in ScopeNode::allowance. If allowances differ, the parts on servers with smaller allowances get
/// separate time-outs, so that the waits for them stay the same. REQUIRES: `root` has a time-out.
void allow_for_priorities(ScopeNode& root, const Plan& plan);

}  // namespace eventspace::expansion
