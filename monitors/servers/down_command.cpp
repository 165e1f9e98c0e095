#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "monitors/cli/command.h"
#include "monitors/cli/options.h"
#include "monitors/servers/segment_list.h"
#include "monitors/servers/server_fleet.h"
#include "monitors/servers/server_report.h"
#include "monitors/text/plain_output.h"
#include "monitors/watching/running_servers.h"

namespace eventspace {
namespace {

struct DownOptions {
  std::filesystem::path pathmap;
  std::string session;
  std::string node;
  std::chrono::nanoseconds timeout = std::chrono::seconds(5);
  bool clean{false};
  Format format{Format::text};
};

// Stopping a session that does not run is not an error, but if another session of this pathmap runs, the user
// probably meant that one.
bool complain_of_other_session(const ServerFleet& fleet, const std::vector<ServerOutcome>& outcomes) {
  const auto is_not_running = [](const ServerOutcome& outcome) {
    return outcome.state == ServerState::not_running;
  };
  if (!std::ranges::all_of(outcomes, is_not_running)) return false;
  const auto others = other_sessions_of(fleet.pathmap.string(), fleet.session);
  if (others.empty()) return false;
  print_message(
      fmt::format("no server of session '{}' runs on this machine; found session '{}' of this pathmap: "
                  "`eventspace down {} --session {}` stops it",
                  fleet.session, others.front(), fleet.pathmap.string(), others.front()));
  return true;
}

int down(const DownOptions& options) {
  const ServerFleet fleet = make_fleet(options.pathmap, options.session, options.node);
  const auto outcomes = stop_servers(fleet, options.timeout);
  print_outcomes(std::cout, options.format, outcomes);
  if (options.clean) {
    const std::size_t removed = remove_orphans(list_segments(fleet.session, fleet.plan->annex_directories()));
    std::cerr << "eventspace: removed " << removed << " files of dead processes\n";
  }
  if (!all_run(outcomes)) return exit_unreachable;
  return complain_of_other_session(fleet, outcomes) ? exit_unreachable : exit_fine;
}

}  // namespace

Command down_command(const CommandContext& /*context*/) {
  const CommandGuide guide{
      .group = CommandGroup::running,
      .place = 2,
      .examples = {{"eventspace down app.yaml", "ends the servers of all nodes"},
                   {"eventspace down app.yaml --clean",
                    "also removes what killed processes left in shared memory"}},
      .statuses = {{exit_fine, "no server runs, whether or not one did"},
                   {exit_unreachable, "a server did not answer or could not be stopped"}}};
  return {"down", "Stop the servers that `up` started",
          with_options<DownOptions>(
              [](CLI::App& app, DownOptions& options) {
                add_pathmap_file(app, options.pathmap);
                add_session(app, options.session);
                add_format(app, options.format);
                app.add_option("--node", options.node, "Only the server of this node, on this machine")
                    ->type_name("NAME");
                add_duration(app, "--timeout", options.timeout,
                             "Kill a server that has not stopped after this time [5s]");
                app.add_flag("--clean", options.clean,
                             "Also remove files of dead processes of the session from shared memory");
              },
              down),
          guide};
}

}  // namespace eventspace
