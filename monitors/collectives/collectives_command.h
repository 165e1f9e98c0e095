#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace collectives`; docs/commands.md describes it.
Command collectives_command();

}  // namespace eventspace
