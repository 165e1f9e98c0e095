#pragma once

#include <cstdint>

#include "pathmaps/expansion/draft.h"

namespace eventspace::expansion {

inline constexpr std::size_t max_parts = 10'000;  ///< over all scopes with `collect:`

/// `collect:` of a scope: the points of its own paths that have event collectors.
struct OwnPathsOutline {
  unsigned points{0};    ///< on servers; a bit set, see bit_of
  bool consumer{false};  ///< whether the consumer records its own pulls, at both points
  std::uint32_t threshold{0};
  Place place;
};

/// Adds the parts of `tree` that run on servers to the plan, with their paths and trace elements, and sets
/// the numbers of these paths in the tree. A part has the name of its node; several parts on a node are
/// numbered in the order of the tree. Reports too many parts and names that are too long.
void plan_parts(ScopeTree& tree, const OwnPathsOutline& own_paths, Draft& draft);

}  // namespace eventspace::expansion
