#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace attach`: gives running processes a segment, in which probes record calls of their functions.
Command attach_command();
/// `eventspace detach`: removes all probes from processes.
Command detach_command();

}  // namespace eventspace
