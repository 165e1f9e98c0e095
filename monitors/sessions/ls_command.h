#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace ls`: the sessions of this user on this machine, or the processes of one.
Command ls_command();

}  // namespace eventspace
