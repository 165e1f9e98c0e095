#include "pathmaps/node_server.h"

#include <algorithm>

#include "pathmaps/plan_names.h"
#include "pathmaps/scope_paths.h"
#include "pathmaps/session.h"
#include "pathmaps/session_host.h"
#include "paths/server.h"
#include "scopes/scope_builder.h"

namespace eventspace {
namespace {

// A server that records nothing has no segment: most do not.
bool records(const Plan& plan, std::size_t node) {
  return plan.collect && std::any_of(plan.traces.begin(), plan.traces.end(), [node](const TracePlan& trace) {
           return !trace.process && trace.node == node;
         });
}

Server::Config config_for(const Plan& plan, std::size_t node, SessionHost& host, const PlanNames& names,
                          LocalSegments& segments, ScopePaths& scope_paths) {
  Server::Config config;
  config.endpoint = plan.nodes[node].endpoint();
  config.name = "the server of node " + plan.nodes[node].name;
  config.session = host.session();
  config.fingerprint = plan.scopes_fingerprint;
  config.targets.emplace(path_target, host.path_targets());
  config.targets.emplace(scope_target, scope_target_factory(names, segments, plan.scopes_fingerprint,
                                                            host.endpoints(), &plan.wrappers, &scope_paths));
  config.routes = host.endpoints();
  config.attendant = &host.joints();
  return config;
}

LocalSegments::Config segments_config(const Plan& plan, std::size_t node, const SessionHost& host,
                                      const NodeClock& clock) {
  LocalSegments::Config config{host.session(), plan.nodes[node].name, plan.fingerprint};
  config.clock = clock;
  config.servers_fingerprint = plan.scopes_fingerprint;
  return config;
}

}  // namespace

struct NodeServer::State {
  State(const std::shared_ptr<const Plan>& plan, std::size_t node, const Options& options)
      : names(plan),
        network(network_limits(plan->limits), WhenLost::reconnect, options.clock),
        host(plan, {HostId::Kind::node_server, node}, session_name(*plan, options.session),
             records(*plan, node)),
        scope_paths(*plan, node, host),
        segments(segments_config(*plan, node, host, options.clock)),
        server(network, config_for(*plan, node, host, names, segments, scope_paths)) {}

  NamesOfPlan names;
  Network network;
  SessionHost host;
  ScopePaths scope_paths;
  LocalSegments segments;
  Server server;
};

NodeServer::NodeServer(const std::shared_ptr<const Plan>& plan, std::size_t node, const Options& options)
    : state_(std::make_unique<State>(plan, node, options)) {}
NodeServer::~NodeServer() = default;

void NodeServer::run() { state_->server.run(); }
void NodeServer::start() { state_->server.start(); }
void NodeServer::stop() noexcept { state_->server.stop(); }
wire::ServerReport NodeServer::report() const { return state_->server.report(); }

}  // namespace eventspace
