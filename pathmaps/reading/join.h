#pragma once

#include "pathmaps/reading/document.h"

namespace eventspace::reading {

/// Joins `file` and a fragment that it includes into one pathmap, key by key, by the rules in keys.h: for a
/// name in both, `file` wins. `document` owns the new values. The arguments are not changed.
const Value& join(const Value& fragment, const Value& file, Document& document, Faults& faults);

/// The same for two fragments of one `include` list, in its order. A name in both is a fault at its place in
/// `second`, and the fault has its place in `first`.
const Value& join_neighbours(const Value& first, const Value& second, Document& document, Faults& faults);

}  // namespace eventspace::reading
