#pragma once

// Private to collectors/.

#include <vector>

#include "collectors/kinds/event_kinds.h"

namespace eventspace {

/// The fields and kinds that EventSpace itself has.
std::vector<EventField> built_in_fields();
std::vector<EventKind> built_in_kinds();

}  // namespace eventspace
