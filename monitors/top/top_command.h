#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace top`; docs/commands.md describes it.
Command top_command();

}  // namespace eventspace
