#pragma once

// Private to pathmaps/.

#include <cstdint>

#include "pathmaps/expansion/draft.h"

namespace eventspace::expansion {

inline constexpr std::size_t most_parts = 10'000;  ///< of all scopes whose paths are recorded

/// `collect:` of a scope: where on its own paths event collectors stand.
struct OwnPathsOutline {
  unsigned points{0};  ///< a bit for each, see bit_of
  std::uint32_t threshold{0};
  Place place;
};

/// Puts the parts of `tree` that servers run into the plan, with their paths and trace elements, and the
/// numbers of these paths into the tree. The parts are named after their nodes, and numbered in the order of
/// the tree where a node has several. Too many of them, and names that are too long, are faults.
void plan_parts(ScopeTree& tree, const OwnPathsOutline& own_paths, Draft& draft);

}  // namespace eventspace::expansion
