#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace elements`; docs/commands.md describes it.
Command elements_command();

}  // namespace eventspace
