#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace tune`; docs/commands.md describes it.
Command tune_command();

}  // namespace eventspace
