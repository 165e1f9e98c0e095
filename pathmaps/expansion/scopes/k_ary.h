#pragma once

// Private to pathmaps/.

#include <cstddef>
#include <vector>

namespace eventspace::expansion {

/// How `count` siblings in a row come below one node that may have `arity` children (at least 2): the sizes
/// of the parts that the node has instead of them, in their order. As even as can be, and such that parts
/// split the same way again lie no deeper than they must: a tree over n has ceil(log n to the base arity)
/// levels. A part of one is that sibling itself. Empty: they fit as they are.
std::vector<std::size_t> k_ary_parts(std::size_t count, std::size_t arity);

}  // namespace eventspace::expansion
