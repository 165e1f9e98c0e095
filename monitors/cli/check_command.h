#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace check`; docs/commands.md describes it.
Command check_command();

}  // namespace eventspace
