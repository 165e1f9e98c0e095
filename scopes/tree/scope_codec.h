#pragma once

#include <cstddef>
#include <vector>

#include <eventspace/tuple.h>
#include "scopes/tree/scope_tree.h"

namespace eventspace {

/// Encodes a scope tree as the spec of an open request.
std::vector<std::byte> encode(const ScopeTree& tree);

/// Decodes a spec from an untrusted peer. Throws ConfigurationError if it is malformed or nested too deep.
ScopeTree decode_scope_tree(Bytes spec);

}  // namespace eventspace
