#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace up`; docs/commands.md describes it.
Command up_command();

}  // namespace eventspace
