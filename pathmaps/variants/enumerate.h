#pragma once

// Private to pathmaps/.

#include <cstddef>
#include <vector>

#include "pathmaps/variants/scope_form.h"

namespace eventspace::variants {

/// The forms that yield what `form` does, `form` itself first: then those with levels put in or taken out,
/// then those with one setting changed (the arity of a level, how it asks, where it runs, the batch), then
/// with two of them. `most` at most; always the same ones in the same order. Some may not be what a pathmap
/// may have, where that depends on the plan, and several may give one tree.
std::vector<ScopeForm> enumerate(const ScopeForm& form, bool clusters, std::size_t most);

}  // namespace eventspace::variants
