#pragma once

// Private to monitors/.

#include "monitors/cli/build_info.h"
#include "monitors/cli/command.h"

namespace eventspace {

// The subcommands of `eventspace`, which docs/commands.md describes. Most are written in NAME_command.cpp, in
// the folders of monitors/; monitors/commands.cpp lists them. `build` describes the program.

Command attach_command();
Command balance_command();
Command check_command();
Command collectives_command();
Command detach_command();
Command doctor_command(const BuildInfo& build);
Command down_command();
Command elements_command();
Command events_command();
Command export_command();
Command functions_command();
Command group_command();
Command heartbeat_command(const BuildInfo& build);
Command info_command();
Command init_command();
Command ls_command();
Command measure_command();
Command merge_command(const BuildInfo& build);
Command metrics_command();
Command probe_command();
Command profile_command();
Command record_command(const BuildInfo& build);
Command run_command();
Command segments_command();
Command serve_command();
Command share_command();
Command snapshot_command(const BuildInfo& build);
Command streams_command();
Command switch_command();
Command top_command();
Command trigger_command();
Command tune_command();
Command unshare_command();
Command up_command();
Command values_command();
Command web_command(const BuildInfo& build);
Command whatif_command();

}  // namespace eventspace
