#pragma once

// Private to monitors/probing/probes/.

#include <cstdint>
#include <functional>
#include <set>

#include "monitors/probing/probes/new_area.h"

namespace eventspace {

/// The inodes of the areas (ProbeArea) that a process has mapped, or open. Throws as mapped_ranges() does.
std::set<std::uint64_t> area_inodes(std::int32_t pid);
/// Of those, the ones of this owner.
std::set<std::uint64_t> area_inodes_of(std::int32_t pid, const ProbeOwner& owner);

/// Calls `work` with each process that has one of the areas: `pid`, and its forked children, which have the
/// same probes in their copies of the code. Also those that are forked meanwhile. Throws what `work` throws
/// for `pid`, unless that has ended; a child that has ended meanwhile is left out.
void for_each_process_with(const std::set<std::uint64_t>& inodes, std::int32_t pid,
                           const std::function<void(std::int32_t process)>& work);

}  // namespace eventspace
