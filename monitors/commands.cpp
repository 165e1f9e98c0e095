#include "monitors/commands.h"

#include "monitors/archive/record_command.h"
#include "monitors/cli/check_command.h"
#include "monitors/collectives/collectives_command.h"
#include "monitors/doctor/doctor_command.h"
#include "monitors/drawing/draw_command.h"
#include "monitors/elements/elements_command.h"
#include "monitors/events/events_command.h"
#include "monitors/events/values_command.h"
#include "monitors/export/export_command.h"
#include "monitors/heartbeat/heartbeat_command.h"
#include "monitors/init/init_command.h"
#include "monitors/manual/manual_commands.h"
#include "monitors/manual/words_command.h"
#include "monitors/metrics/draw_metric.h"
#include "monitors/metrics/measure_command.h"
#include "monitors/metrics/metrics_command.h"
#include "monitors/probing/attach_command.h"
#include "monitors/probing/balance/balance_command.h"
#include "monitors/probing/functions_command.h"
#include "monitors/probing/group_command.h"
#include "monitors/probing/nodes/group_agent.h"
#include "monitors/probing/probe_command.h"
#include "monitors/profile/profile_command.h"
#include "monitors/requests/trigger_command.h"
#include "monitors/running/run_command.h"
#include "monitors/servers/down_command.h"
#include "monitors/servers/serve_command.h"
#include "monitors/servers/up_command.h"
#include "monitors/sessions/ls_command.h"
#include "monitors/sessions/segments_command.h"
#include "monitors/sharing/share_command.h"
#include "monitors/streams/streams_command.h"
#include "monitors/switching/switch_command.h"
#include "monitors/top/top_command.h"
#include "monitors/tune/tune_command.h"
#include "monitors/whatif/whatif_command.h"

namespace eventspace {

std::vector<Command> all_commands(const BuildInfo& build) {
  const CommandList all = [build] { return all_commands(build); };
  return {check_command(),
          draw_command(draw_metric),
          up_command(),
          down_command(),
          serve_command(),
          run_command(),
          heartbeat_command(build),
          top_command(),
          events_command(),
          values_command(),
          collectives_command(),
          profile_command(),
          elements_command(),
          streams_command(),
          metrics_command(),
          measure_command(),
          record_command(build),
          snapshot_command(build),
          info_command(),
          export_command(),
          merge_command(build),
          whatif_command(),
          tune_command(),
          switch_command(),
          trigger_command(),
          share_command(),
          unshare_command(),
          ls_command(),
          segments_command(),
          functions_command(),
          probe_command(),
          attach_command(),
          detach_command(),
          group_command(),
          balance_command(),
          agent_command(),
          doctor_command(build),
          help_command(all),
          init_command(),
          completion_command(all),
          manual_command(all, build),
          words_command()};
}

}  // namespace eventspace
