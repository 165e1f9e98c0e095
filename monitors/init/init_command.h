#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace init`; docs/commands.md describes it.
Command init_command();

}  // namespace eventspace
