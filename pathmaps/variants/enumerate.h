#pragma once

#include <cstddef>
#include <vector>

#include "pathmaps/variants/scope_form.h"

namespace eventspace::variants {

/// Returns forms that yield the same view as `form`: first `form` itself, then forms with levels added or
/// removed, then those with one setting changed (the arity of a level, how it asks, where it runs, the
/// batch), then those with two settings changed. Returns at most `most` forms, always the same in the same
/// order.
///
/// Some results may be faulty in the plan at hand, and several may expand to the same tree: the caller
/// expands them and drops those. `clusters`: whether the plan has clusters, so that cluster levels are
/// possible.
std::vector<ScopeForm> enumerate(const ScopeForm& form, bool clusters, std::size_t most);

}  // namespace eventspace::variants
