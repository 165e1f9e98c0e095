#pragma once

#include "monitors/command.h"

namespace eventspace {

// What docs/commands.md describes, in its order.
Command check_command();
Command draw_command();
Command up_command();
Command down_command();
Command serve_command();
Command run_command();
Command heartbeat_command();
Command events_command();
Command values_command();
Command collectives_command();
Command top_command();
Command tune_command();
Command segments_command();

}  // namespace eventspace
