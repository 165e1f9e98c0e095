#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace export`; docs/recordings.md and docs/commands.md describe it.
Command export_command();

}  // namespace eventspace
