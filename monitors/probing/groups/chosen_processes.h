#pragma once

#include <cstdint>
#include <vector>

#include "monitors/probing/groups/process_choice.h"
#include "monitors/probing/groups/process_facts.h"

namespace eventspace {

/// The pids of the choice on this machine, each once: the explicit ones first, in their order, then the
/// others in ascending order. Its groups are looked up in NamedGroups. Throws ConfigurationError if the
/// choice is invalid, and EnvironmentError if a name of `names` matches no process, or no process is chosen.
std::vector<std::int32_t> chosen_processes(const ProcessChoice& choice);

/// All processes of this machine, with the facts that the choice needs: those from launchers and sessions.
/// Requires check_choice() and check_groups().
std::vector<ProcessFacts> facts_for(const ProcessChoice& choice, const ProcessGroups& groups);

/// The chosen processes of this machine, with `groups`, by pid; may be empty. Throws ConfigurationError if
/// the choice or a group is invalid.
std::vector<ProcessFacts> members_here(const ProcessChoice& choice, const ProcessGroups& groups);

}  // namespace eventspace
