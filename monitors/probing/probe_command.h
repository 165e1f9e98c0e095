#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace probe`: counts the calls of functions of processes that run.
Command probe_command();

}  // namespace eventspace
