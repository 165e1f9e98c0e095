#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace run`; docs/commands.md describes it.
Command run_command();

}  // namespace eventspace
