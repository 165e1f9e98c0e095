#pragma once

#include <cstdint>
#include <optional>

#include "monitors/whatif/actions/action.h"

namespace eventspace::whatif {

/// A collective operation of a group, as seen by one member.
struct GroupCall {
  GroupOperation operation{GroupOperation::barrier};
  std::uint32_t members{1};
  std::uint32_t rank{0};
  std::uint32_t root{0};
  std::uint64_t bytes{0};
};

/// One step of an operation: a message to one member, a message from one member, or both at the same time.
struct GroupStep {
  std::optional<std::uint32_t> to{};  ///< rank
  std::uint64_t bytes_sent{0};
  std::optional<std::uint32_t> from{};
  std::uint64_t bytes_received{0};
};

/// Returns step `number`, from 0, of the operation; nullopt after the last step. The algorithms are the
/// common ones:
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
