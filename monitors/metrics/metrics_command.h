#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace metrics`: lists metrics, and checks files of them.
Command metrics_command();

}  // namespace eventspace
