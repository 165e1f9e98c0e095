#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace down`; docs/commands.md describes it.
Command down_command();

}  // namespace eventspace
