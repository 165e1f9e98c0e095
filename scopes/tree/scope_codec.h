#pragma once

// Private to scopes/.

#include <cstddef>
#include <vector>

#include "scopes/tree/scope_tree.h"
#include "tuplespace/tuple.h"

namespace eventspace {

/// A scope tree as the spec of an open request.
std::vector<std::byte> encode(const ScopeTree& tree);

/// Checks and reads one from outside, a hundred levels deep at most. Throws ConfigurationError.
ScopeTree decode_scope_tree(Bytes spec);

}  // namespace eventspace
