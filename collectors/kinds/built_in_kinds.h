#pragma once

#include <vector>

#include "collectors/kinds/event_kinds.h"

namespace eventspace {

/// The built-in fields and kinds of EventSpace.
std::vector<EventField> built_in_fields();
std::vector<EventKind> built_in_kinds();

}  // namespace eventspace
