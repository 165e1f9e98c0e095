#include "monitors/probing/nodes/node_choice.h"

#include <CLI/CLI.hpp>

#include <eventspace/error.h>
#include "monitors/cli/options.h"

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
    throw ConfigurationError("a pathmap cannot be combined with --hosts: both name the machines");
  if (!nodes.launcher.empty() && nodes.hosts.empty())
    throw ConfigurationError("--launcher needs --hosts; for nodes of a pathmap, use `launch` in the pathmap");
  if (!nodes.is_here() && !processes.pids.empty())
    throw ConfigurationError(
        "--pid chooses processes of this machine only; on others, use --where \"host == 'n1' and pid == "
        "4711\"");
}

}  // namespace eventspace
