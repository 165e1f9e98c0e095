#include "monitors/servers/serve_command.h"

#include <iostream>
#include <memory>

#include "monitors/cli/faulty_pathmap.h"
#include "monitors/cli/options.h"
#include "monitors/cli/stop_signals.h"
#include "monitors/servers/descriptor_limit.h"
#include "monitors/servers/serve.h"
#include "monitors/watching/plan_lookup.h"
#include "pathmaps/sessions/node_server.h"
#include "pathmaps/sessions/session.h"

namespace eventspace {
namespace {

struct ServeOptions {
  std::filesystem::path pathmap;
  std::string session;
  std::string node;
};

void print_warning(const std::string& text) {
  std::cerr << "warning: " + text + "\n" << std::flush;  // in one write: threads may warn at the same time
}

}  // namespace

int serve_node(const std::shared_ptr<const Plan>& plan, NodeIndex node, const std::string& session) {
  const std::string warning = warn_of_few_descriptors(raise_descriptor_limit(), plan->limits.connections);
  if (!warning.empty()) print_warning(warning);
  StopSignals signals;
  NodeServer server(plan, node, {.session = session, .warn = print_warning});
  server.start();
  const NodePlan& served = plan->nodes[node];
  std::cout << "serving node " << served.name << " of session " << session_name(*plan, session) << " at "
            << served.endpoint() << std::endl;
  signals.wait();
  server.stop();
  return exit_fine;
}

Command serve_command() {
  return {
      "serve", "Runs the tuple server of one node in the foreground", [](CLI::App& app) {
        const auto options = std::make_shared<ServeOptions>();
        add_pathmap(app, options->pathmap);
        add_session(app, options->session);
        app.add_option("--node", options->node, "The node whose server it is")->required()->type_name("NAME");
        return [options] {
          const auto plan = read_pathmap(options->pathmap);
          return serve_node(plan, require_node(*plan, options->node), options->session);
        };
      }};
}

}  // namespace eventspace
