#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace events`; docs/commands.md describes it.
Command events_command();

}  // namespace eventspace
