#pragma once

// Private to monitors/.

#include "monitors/cli/build_info.h"
#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace heartbeat`; docs/commands.md describes it.
Command heartbeat_command(const BuildInfo& build);

}  // namespace eventspace
