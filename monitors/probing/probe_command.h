#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace probe`: counts calls of functions of running processes.
Command probe_command();

}  // namespace eventspace
