#pragma once

// Private to monitors/probing/probes/.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "monitors/probing/probes/new_area.h"

namespace eventspace {

/// The inodes of the areas (ProbeArea) that a process has mapped, or open. Throws as mapped_ranges() does.
std::set<std::uint64_t> area_inodes(std::int32_t pid);
/// Of those, the ones of this owner.
std::set<std::uint64_t> area_inodes_of(std::int32_t pid, const ProbeOwner& owner);

/// The areas of a process that are meant.
struct AreasOfProcess {
  std::int32_t pid{0};
  std::set<std::uint64_t> inodes{};
};

/// Calls `work` with each process that has one of the areas: those of `wanted` that have inodes, in their
/// order, and then their forked children, which have the same probes in their copies of the code; also those
/// that are forked meanwhile. `place` is the place in `wanted` of the process, or of the first one whose area
/// a child has. All processes of this machine are looked at once, however many are wanted. `work` must not
/// throw.
void for_each_process_with(const std::vector<AreasOfProcess>& wanted,
                           const std::function<void(std::int32_t process, std::size_t place)>& work);

}  // namespace eventspace
