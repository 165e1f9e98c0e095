#pragma once

// Private to monitors/probing/probes/.

#include <cstdint>
#include <optional>

#include "monitors/probing/probes/new_area.h"
#include "monitors/probing/probes/process_probes.h"

namespace eventspace {

/// What place_probes(), remove_probes(), remove_own_probes() and switch_probes() do, in the process that does
/// it.
Placement place_here(std::int32_t pid, const ProbesPlan& plan, const ProbeOwner& owner);
SwitchedProbes switch_here(std::int32_t pid, const ProbeSwitch& order);
Removal remove_here(std::int32_t pid, const std::optional<ProbeOwner>& owner = std::nullopt);

}  // namespace eventspace
