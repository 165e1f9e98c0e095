#pragma once

#include <optional>

#include <eventspace/rank_set.h>
#include "pathmaps/plan/plan.h"

namespace eventspace {

/// The rank that a process has in a network over the processes of its pathmap (network_of). Nullopt if such a
/// network is impossible.
std::optional<RankSet::Rank> rank_of_process(const Plan& plan, ProcessIndex process);

}  // namespace eventspace
