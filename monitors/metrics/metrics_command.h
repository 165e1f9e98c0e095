#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace metrics`: lists metrics, and checks files of metrics.
Command metrics_command();

}  // namespace eventspace
