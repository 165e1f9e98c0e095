#pragma once

// Private to pathmaps/.

#include "pathmaps/reading/document.h"

namespace eventspace::reading {

/// Joins `file` and a fragment that it includes into one pathmap, key by key, by the rules in keys.h.
/// `document` owns the new values. The arguments are not changed.
const Value& join(const Value& fragment, const Value& file, Document& document, Faults& faults);

}  // namespace eventspace::reading
