#pragma once

// Private to monitors/.

#include "monitors/cli/build_info.h"
#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace doctor`. `build` describes the program.
Command doctor_command(const BuildInfo& build);

}  // namespace eventspace
