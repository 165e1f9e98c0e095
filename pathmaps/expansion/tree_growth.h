#pragma once

#include "pathmaps/expansion/scope_levels.h"

namespace eventspace::expansion {

/// A scope as the pathmap describes it, before it is spread out over groups.
struct ScopeOutline {
  std::string name;
  bool next{false};
  std::uint32_t batch{1000};
  std::uint64_t most{0};
  std::optional<std::chrono::nanoseconds> since;
  std::chrono::nanoseconds timeout{};
  bool direct{false};  ///< the consumer reads the segments itself
  std::vector<ScopeLevel> levels;
  std::vector<std::size_t> traces;  ///< ascending
};

/// The tree of a scope without faults: one node for each level, group and wrapper, and below the last
/// level the reads, each on the server that has the segments (or where its parent runs, with `direct`). A
/// level whose threads would have nothing to do is a fault.
ScopeTree grow_tree(const Plan& plan, const ScopeOutline& outline, Faults& faults);

}  // namespace eventspace::expansion
