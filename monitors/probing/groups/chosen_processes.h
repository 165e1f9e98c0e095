#pragma once

// Private to monitors/.

#include <cstdint>
#include <vector>

#include "monitors/probing/groups/process_choice.h"
#include "monitors/probing/groups/process_facts.h"

namespace eventspace {

/// The pids of the choice on this machine, each once: those given first, in their order, then the others by
/// pid. Its groups are those of NamedGroups. Throws ConfigurationError if the choice has a fault, and
/// EnvironmentError if no process has a name of `names`, or no process is chosen.
std::vector<std::int32_t> chosen_processes(const ProcessChoice& choice);

/// All processes of this machine, with what is asked for to choose among them: what launchers know, and
/// sessions. Requires check_choice() and check_groups().
std::vector<ProcessFacts> facts_for(const ProcessChoice& choice, const ProcessGroups& groups);

/// The processes of this machine that are chosen, with `groups`, by pid; none if there is none. Throws
/// ConfigurationError if the choice or a group has a fault.
std::vector<ProcessFacts> members_here(const ProcessChoice& choice, const ProcessGroups& groups);

}  // namespace eventspace
