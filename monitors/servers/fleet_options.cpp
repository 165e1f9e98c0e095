#include "monitors/servers/fleet_options.h"

#include <CLI/CLI.hpp>

namespace eventspace {

void add_fleet(CLI::App& app, FleetOptions& options, const std::string& verb) {
  add_pathmap_file(app, options.pathmap);
  add_session(app, options.session);
  add_format(app, options.format);
  app.add_option("--node", options.node, verb + " only the server of this node, on this machine")
      ->type_name("NAME");
}

}  // namespace eventspace
