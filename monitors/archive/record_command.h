#pragma once

// Private to monitors/.

#include "monitors/cli/build_info.h"
#include "monitors/cli/command.h"

namespace eventspace {

/// `eventspace record`, `snapshot`, `merge` and `info`; docs/recordings.md and docs/commands.md describe
/// them.
Command record_command(const BuildInfo& build);
Command snapshot_command(const BuildInfo& build);
Command merge_command(const BuildInfo& build);
Command info_command();

}  // namespace eventspace
