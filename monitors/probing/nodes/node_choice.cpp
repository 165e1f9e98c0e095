#include "monitors/probing/nodes/node_choice.h"

#include <CLI/CLI.hpp>

#include "monitors/cli/options.h"
#include "tuplespace/system/error.h"

namespace eventspace {

void add_nodes(CLI::App& app, NodeChoice& nodes) {
  app.add_option("PATHMAP", nodes.pathmap,
                 "Act on all nodes of this pathmap; without a choice of processes, on those of its session "
                 "[this machine]")
      ->group(process_options);
  app.add_option("--hosts", nodes.hosts, "Act on these machines, such as 'n[1-4]' or 'n1,n2'")
      ->type_name("HOSTS")
      ->group(process_options);
  app.add_option("--launcher", nodes.launcher,
                 "With --hosts: start a command on {host} with this command [ssh -o BatchMode=yes {host}]")
      ->type_name("COMMAND")
      ->group(process_options);
}

void check_nodes(const NodeChoice& nodes, const ProcessChoice& processes) {
  if (!nodes.pathmap.empty() && !nodes.hosts.empty())
    throw ConfigurationError("there are both a pathmap and --hosts: the machines come from one of them");
  if (!nodes.launcher.empty() && nodes.hosts.empty())
    throw ConfigurationError("--launcher goes with --hosts; nodes of a pathmap have `launch`");
  if (!nodes.is_here() && !processes.pids.empty())
    throw ConfigurationError(
        "--pid is for processes of this machine; with several say --where \"host == 'n1' and pid == 4711\"");
}

}  // namespace eventspace
