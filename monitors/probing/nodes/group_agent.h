#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace agent`, a hidden command: works on processes of its machine for a command on another one, as a
/// back-end of the network that the command has started (GroupWorkOnNodes). When the network ends, it removes
/// its probes and ends.
Command agent_command();

}  // namespace eventspace
