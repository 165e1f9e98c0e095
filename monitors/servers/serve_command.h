#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace serve`; docs/commands.md describes it.
Command serve_command();

}  // namespace eventspace
