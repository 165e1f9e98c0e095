#include "monitors/commands.h"

#include "monitors/cli/commands.h"
#include "monitors/drawing/draw_command.h"
#include "monitors/manual/manual_commands.h"
#include "monitors/manual/words_command.h"
#include "monitors/metrics/draw_metric.h"
#include "monitors/probing/nodes/group_agent.h"

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
          web_command(build),
          words_command()};
}

}  // namespace eventspace
