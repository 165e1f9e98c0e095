#pragma once

// Private to pathmaps/.

#include "pathmaps/reading/document.h"

namespace eventspace::reading {

/// The pathmap that `file` and the fragment before it give together, key by key as keys.h says. The new
/// values belong to `document`; both parts stay as they are.
const Value& join(const Value& fragment, const Value& file, Document& document, Faults& faults);

}  // namespace eventspace::reading
