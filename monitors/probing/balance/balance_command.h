#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace balance`: shows where a running program spends its time, and where its processes differ.
Command balance_command();

}  // namespace eventspace
