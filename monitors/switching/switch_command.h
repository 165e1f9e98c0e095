#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace switch`; docs/commands.md describes it.
Command switch_command();

}  // namespace eventspace
