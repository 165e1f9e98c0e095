#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace profile`; docs/commands.md describes it.
Command profile_command();

}  // namespace eventspace
