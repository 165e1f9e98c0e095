#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace share`: opens a port through which an observer pulls, and writes the token for it.
Command share_command();
/// `eventspace unshare`: closes it. Its observers' requests are refused from then on.
Command unshare_command();

}  // namespace eventspace
