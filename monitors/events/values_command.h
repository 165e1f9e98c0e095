#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace values`; docs/commands.md describes it.
Command values_command();

}  // namespace eventspace
