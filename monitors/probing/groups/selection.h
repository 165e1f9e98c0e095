#pragma once

#include <vector>

#include "monitors/probing/groups/process_choice.h"
#include "monitors/probing/groups/process_facts.h"

namespace eventspace {

/// The chosen ones of the processes, in their order. A pid in the choice counts only if it is the pid of one
/// of `processes`. Requires check_groups(). Throws ExpressionError for an invalid condition. Pure.
std::vector<const ProcessFacts*> selected(const ProcessChoice& choice, const ProcessGroups& groups,
                                          const std::vector<ProcessFacts>& processes);

}  // namespace eventspace
