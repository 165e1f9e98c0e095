#pragma once

#include <string>

#include "paths/parameters/parameters.h"
#include "scopes/tree/scope_tree.h"

namespace eventspace {

/// A wrapper and its parameters.
struct Wrapping {
  std::string wrapper;
  Parameters parameters{};
};
/// Applies the wrapper to the result of `node`, in the same place.
void put_above(ScopeNode& node, const Wrapping& wrapping);

/// Puts a wrapper on each part of `tree` that runs in a place of its own and reads there. The wrapper is
/// above all other work of the part in that place. Pure.
void put_where_read(ScopeTree& tree, const std::string& wrapper, const Parameters& parameters);

}  // namespace eventspace
