#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace measure`: measures metrics while a program runs, or in a recording.
Command measure_command();

}  // namespace eventspace
