#pragma once

#include <vector>

#include "pathmaps/expansion/scopes/scope_levels.h"

namespace eventspace::expansion {

/// Reads `shape:` of a scope and its `wrapper:` (gather by default), and returns the levels for which they
/// are an abbreviation. The first level has the given wrapper; lower levels have its form for partial views
/// (in_parts).
std::vector<ScopeLevel> read_shape(const reading::Mapping& scope, const Draft& draft);

}  // namespace eventspace::expansion
