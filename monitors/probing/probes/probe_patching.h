#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "monitors/probing/probes/new_area.h"
#include "monitors/probing/probes/process_probes.h"

namespace eventspace {

/// The parts of place_probes(), remove_probes(), remove_own_probes(), remove_probes_in() and switch_probes()
/// that run in the process that patches.
Placement place_here(std::int32_t pid, const ProbesPlan& plan, const ProbeOwner& owner);
std::vector<InProcess<SwitchedProbes>> switch_here(const std::map<std::int32_t, ProbeSwitch>& orders);
std::vector<InProcess<Removal>> remove_here(const std::vector<std::int32_t>& pids,
                                            const std::optional<ProbeOwner>& owner = std::nullopt);
std::vector<InProcess<Removal>> remove_here(std::int32_t pid, const std::set<std::uint64_t>& areas);

}  // namespace eventspace
