#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace draw`; docs/commands.md describes it.
Command draw_command();

}  // namespace eventspace
