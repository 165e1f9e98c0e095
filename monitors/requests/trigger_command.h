#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace trigger`: runs conditional requests, and lists, switches and deletes active ones.
Command trigger_command();

}  // namespace eventspace
