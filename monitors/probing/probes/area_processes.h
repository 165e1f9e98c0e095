#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "monitors/probing/probes/new_area.h"

namespace eventspace {

/// The inodes of the probe regions (ProbeArea) that a process has mapped or open. Throws as mapped_ranges()
/// does.
std::set<std::uint64_t> area_inodes(std::int32_t pid);
/// Those of them that have this owner.
std::set<std::uint64_t> area_inodes_of(std::int32_t pid, const ProbeOwner& owner);

/// The selected probe regions of a process.
struct AreasOfProcess {
  std::int32_t pid{0};
  std::set<std::uint64_t> inodes{};
};

/// Calls `work` with each process that has one of the regions: first the elements of `wanted` that have
/// inodes, in their order, then their forked children, which have the same probes in their copies of the
/// code, including children that are forked during the search. `place` is the index in `wanted` of the
/// process, or for a child of the first process whose region it has. All processes of this machine are
/// scanned once, however many are wanted. `work` must not throw.
void for_each_process_with(const std::vector<AreasOfProcess>& wanted,
                           const std::function<void(std::int32_t process, std::size_t place)>& work);

}  // namespace eventspace
