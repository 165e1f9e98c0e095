#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <optional>

#include <eventspace/error.h>
#include <eventspace/session.h>
#include <eventspace/stream_network.h>
#include "monitors/cli/command.h"
#include "monitors/cli/faulty_pathmap.h"
#include "monitors/cli/options.h"
#include "monitors/cli/stop_signals.h"
#include "monitors/servers/descriptor_limit.h"
#include "monitors/servers/serve.h"
#include "monitors/servers/serve_session.h"
#include "monitors/text/plain_output.h"
#include "pathmaps/plan/plan.h"
#include "pathmaps/plan/plan_lookup.h"
#include "pathmaps/sessions/node_server.h"
#include "pathmaps/sessions/session_security.h"
#include "paths/security/secret_key.h"
#include "tuplespace/processes/priority.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

struct ServeOptions {
  std::filesystem::path pathmap;
  std::string session;
  std::string node;
  std::filesystem::path job;
  std::optional<std::chrono::nanoseconds> idle;
  bool background{false};
  bool streams_on_input{false};
};

// Reports once if the priority could not be set; the server continues without.
void warn_if_any(const std::string& complaint) {
  if (!complaint.empty()) print_warning(complaint);
}

}  // namespace

int serve_node(const std::shared_ptr<const Plan>& plan, NodeIndex node, const std::string& session) {
  allow_connections(plan->limits.connections);
  keep_out_of_core_files();
  const NodePlan& served = plan->nodes[node];
  warn_if_any(take_priority(served.priority));  // before any thread is started
  StopSignals signals;
  NodeServer server(plan, node, {.session = session, .warn = print_warning});
  server.start();
  std::cout << "serving node " << served.name << " of session " << escaped(session_name(*plan, session))
            << " at " << served.endpoint() << std::endl;
  if (const std::string open = open_endpoints(*plan); !open.empty())
    print_warning("`security: none`: every process that can connect to " + served.endpoint() +
                  " can read, write and stop everything");
  warn_if_any(take_session_priority(served.priority));  // may take a while, so after it serves
  signals.wait();
  server.stop();
  return exit_fine;
}

namespace {

int serve_streams(const ServeOptions& options) {
  if (!options.pathmap.empty() || !options.session.empty() || !options.node.empty() || options.background ||
      options.idle || !options.job.empty())
    throw ConfigurationError(
        "--streams-on-input excludes other arguments: the start sheet contains all settings");
  keep_out_of_core_files();
  return streams::serve_start_sheet(std::cin);
}

int serve(const ServeOptions& options) {
  if (options.streams_on_input) return serve_streams(options);
  if (options.pathmap.empty())
    return serve_session({options.session, options.idle, options.background, options.job});
  if (options.node.empty()) throw ConfigurationError("--node is required with a pathmap");
  if (options.background || options.idle || !options.job.empty())
    throw ConfigurationError(
        "--background, --idle and --job exclude a pathmap; `eventspace up` starts the servers of a pathmap");
  const auto plan = read_pathmap_file(options.pathmap, "other processes also read it");
  return serve_node(plan, require_node(*plan, options.node), options.session);
}

}  // namespace

Command serve_command(const CommandContext& /*context*/) {
  const CommandGuide guide{
      .group = CommandGroup::running,
      .place = 3,
      .examples = {{"eventspace serve app.yaml --node n1",
                    "the server of one node, for debuggers and batch systems"},
                   {"eventspace serve --session solver --idle 1min",
                    "the server of a session without a pathmap"}},
      .statuses = {{exit_unreachable,
                    "the server could not start: no descriptors, no permission, or another server runs"}},
      .usages = {"eventspace serve PATHMAP --node NAME [--session NAME]",
                 "eventspace serve --session NAME [--job DIR] [--idle TIME] [--background]"}};
  return {"serve", "Run the tuple server of one node, or of a session without a pathmap",
          with_options<ServeOptions>(
              [](CLI::App& app, ServeOptions& options) {
                app.add_option("PATHMAP", options.pathmap,
                               "Pathmap (YAML) [none: a session without a pathmap]");
                add_session(app, options.session);
                app.add_option("--node", options.node, "Run the server of this node")->type_name("NAME");
                add_duration(app, "--idle", options.idle,
                             "Without a pathmap: stop when the server was not used for this time [10s with "
                             "--background, else never]");
                app.add_flag("--background", options.background,
                             "Without a pathmap: run the server in the background");
                app.add_option(
                       "--job", options.job,
                       "Without a pathmap: serve this machine's processes to the MPI job with this directory "
                       "($EVENTSPACE_JOB)")
                    ->type_name("DIR");
                app.add_flag("--streams-on-input", options.streams_on_input,
                             "Become a process of a network of streams, by the start sheet on standard "
                             "input; for front-ends");
              },
              serve),
          guide};
}

}  // namespace eventspace
