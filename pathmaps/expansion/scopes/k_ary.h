#pragma once

#include <cstddef>
#include <vector>

namespace eventspace::expansion {

/// Splits `count` siblings into runs, so that a node with at most `arity` (at least 2) children can have one
/// child for each run instead. Returns the sizes of the runs, in order; empty if count <= arity, when no
/// split is needed.
///
/// Sizes differ by at most one. A caller that splits each run again until all fit gets a tree of least depth:
/// ceil(log(count) / log(arity)) levels. A run of size 1 does not need its own node.
std::vector<std::size_t> k_ary_parts(std::size_t count, std::size_t arity);

}  // namespace eventspace::expansion
