#include <iostream>
#include <memory>

#include "monitors/commands.h"
#include "monitors/descriptor_limit.h"
#include "monitors/faulty_pathmap.h"
#include "monitors/options.h"
#include "monitors/plan_lookup.h"
#include "monitors/stop_signals.h"
#include "pathmaps/node_server.h"
#include "pathmaps/session.h"

namespace eventspace {
namespace {

struct ServeOptions {
  std::filesystem::path pathmap;
  std::string session;
  std::string node;
};

void print_warning(const std::string& text) {
  std::cerr << "warning: " + text + "\n" << std::flush;  // in one piece: several threads may have one
}

int serve(const ServeOptions& options) {
  const auto plan = read_pathmap(options.pathmap);
  const std::size_t node = require_node(*plan, options.node);
  const std::string warning = warn_of_few_descriptors(raise_descriptor_limit(), plan->limits.connections);
  if (!warning.empty()) print_warning(warning);
  StopSignals signals;
  NodeServer server(plan, node, {.session = options.session, .warn = print_warning});
  server.start();
  std::cout << "serving node " << options.node << " of session " << session_name(*plan, options.session)
            << " at " << plan->nodes[node].endpoint() << std::endl;
  signals.wait();
  server.stop();
  return exit_fine;
}

}  // namespace

Command serve_command() {
  return {
      "serve", "Runs the tuple server of one node in the foreground", [](CLI::App& app) {
        const auto options = std::make_shared<ServeOptions>();
        add_pathmap(app, options->pathmap);
        add_session(app, options->session);
        app.add_option("--node", options->node, "The node whose server it is")->required()->type_name("NAME");
        return [options] { return serve(*options); };
      }};
}

}  // namespace eventspace
