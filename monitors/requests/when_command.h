#pragma once

// Private to monitors/.

#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace when`: runs conditional requests, and lists, switches and deletes active ones.
Command when_command();

}  // namespace eventspace
