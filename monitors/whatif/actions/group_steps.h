#pragma once

// Private to monitors/whatif/.

#include <cstdint>
#include <optional>

#include "monitors/whatif/actions/action.h"

namespace eventspace::whatif {

/// A collective operation of a group, as one member sees it.
struct GroupCall {
  GroupOperation operation{GroupOperation::barrier};
  std::uint32_t members{1};
  std::uint32_t rank{0};
  std::uint32_t root{0};
  std::uint64_t bytes{0};
};

/// One step of it: a message to one member and, at the same time, one from another; or one of the two.
struct GroupStep {
  std::optional<std::uint32_t> to{};  ///< rank
  std::uint64_t bytes_sent{0};
  std::optional<std::uint32_t> from{};
  std::uint64_t bytes_received{0};
};

/// The step `number`, from 0, of the operation; none behind the last one. Algorithms are the common ones:
///
///     barrier                       dissemination, ceil(log2 p) steps
///     bcast, reduce                 binomial tree
///     gather, scatter               binomial tree, messages as large as the subtree
///     allreduce                     recursive doubling if p is a power of two; else reduce and bcast
///     allgather                     ring
///     alltoall, reducescatter       p - 1 exchanges, each with another member
///     scan                          recursive doubling
///
/// Time is logarithmic in the members. Pure.
std::optional<GroupStep> group_step(const GroupCall& call, std::uint32_t number);

}  // namespace eventspace::whatif
