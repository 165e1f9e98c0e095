#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace streams`: the networks of streams that run on this machine, or the processes and streams of
/// one.
Command streams_command();

}  // namespace eventspace
