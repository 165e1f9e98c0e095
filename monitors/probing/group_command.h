#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace group`: groups of running processes under names.
Command group_command();

}  // namespace eventspace
