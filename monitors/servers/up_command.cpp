#include <iostream>
#include <memory>

#include "monitors/cli/command.h"
#include "monitors/cli/keys_on_input.h"
#include "monitors/cli/options.h"
#include "monitors/cli/stop_signals.h"
#include "monitors/servers/server_fleet.h"
#include "monitors/servers/server_report.h"

namespace eventspace {
namespace {

struct UpOptions {
  std::filesystem::path pathmap;
  std::string session;
  std::string node;
  std::chrono::nanoseconds timeout = std::chrono::seconds(10);
  Format format{Format::text};
  bool keys_on_input{false};
};

int up(const UpOptions& options) {
  StopSignals signals;
  const ServerFleet fleet = make_fleet(options.pathmap, options.session, options.node);
  std::shared_ptr<const UsedKeys> keys;
  if (options.keys_on_input) keys = take_keys_from_input(fleet.session);
  const auto outcomes = start_servers(fleet, options.timeout, [&signals] { return signals.stopped(); });
  print_outcomes(std::cout, options.format, outcomes);
  if (all_run(outcomes)) return exit_fine;
  std::cerr << "eventspace: not all servers could be started; those started by this command were stopped\n";
  return exit_unreachable;
}

}  // namespace

Command up_command(const CommandContext& /*context*/) {
  const CommandGuide guide{
      .group = CommandGroup::running,
      .place = 1,
      .examples = {{"eventspace up app.yaml", "the servers of all nodes, also of those on other machines"}},
      .statuses = {{exit_unreachable, "a server could not be started; those started before were stopped"}}};
  return {"up", "Start the servers of all nodes",
          with_options<UpOptions>(
              [](CLI::App& app, UpOptions& options) {
                add_pathmap_file(app, options.pathmap);
                add_session(app, options.session);
                add_format(app, options.format);
                app.add_option("--node", options.node, "Only the server of this node, on this machine")
                    ->type_name("NAME");
                add_keys_on_input(app, options.keys_on_input);
                add_timeout(app, options.timeout, "10s");
              },
              up),
          guide};
}

}  // namespace eventspace
