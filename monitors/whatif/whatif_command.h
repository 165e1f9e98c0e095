#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace whatif`; docs/whatif.md describes it.
Command whatif_command();

}  // namespace eventspace
