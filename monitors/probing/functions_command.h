#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace functions`: lists functions of running processes and of files, and which of them can be
/// probed.
Command functions_command();

}  // namespace eventspace
