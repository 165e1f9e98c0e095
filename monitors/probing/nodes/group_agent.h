#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace agent`, which is not listed: works on processes of its machine for a command on another one,
/// as a back-end of the network that the command has started (GroupWorkOnNodes). It ends with the network,
/// and removes its probes then.
Command agent_command();

}  // namespace eventspace
