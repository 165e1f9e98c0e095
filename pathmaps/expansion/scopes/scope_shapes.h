#pragma once

// Private to pathmaps/.

#include <vector>

#include "pathmaps/expansion/scopes/scope_levels.h"

namespace eventspace::expansion {

/// `shape:` of a scope, and its `wrapper:` (gather unless given), as the levels that they are short for. The
/// first level has the wrapper as it is given; those below have what may stand for it in parts.
std::vector<ScopeLevel> read_shape(const reading::Mapping& scope, const Draft& draft);

}  // namespace eventspace::expansion
