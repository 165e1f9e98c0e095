#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace when`: conditional requests, and what becomes of those that stand.
Command when_command();

}  // namespace eventspace
