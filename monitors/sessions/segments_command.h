#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace segments`; docs/commands.md describes it.
Command segments_command();

}  // namespace eventspace
