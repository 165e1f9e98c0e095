#pragma once

// Private to monitors/.

#include <vector>

#include "monitors/probing/groups/process_choice.h"
#include "monitors/probing/groups/process_facts.h"

namespace eventspace {

/// Returns those of the processes that the choice means, in their order. A pid among them counts only if its
/// process is one of `processes`. Requires check_groups(). Throws ExpressionError for a faulty condition.
/// Pure.
std::vector<const ProcessFacts*> selected(const ProcessChoice& choice, const ProcessGroups& groups,
                                          const std::vector<ProcessFacts>& processes);

}  // namespace eventspace
