#include "pathmaps/sessions/node_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include <eventspace/session.h>
#include "collectors/switching/switch_target.h"
#include "pathmaps/hosting/path_target.h"
#include "pathmaps/hosting/scope_paths.h"
#include "pathmaps/hosting/segment_attendant.h"
#include "pathmaps/hosting/segment_search.h"
#include "pathmaps/hosting/session_host.h"
#include "pathmaps/plan/plan.h"
#include "pathmaps/plan/plan_names.h"
#include "pathmaps/sessions/session_security.h"
#include "paths/bodies/element_states.h"
#include "paths/links/network.h"
#include "paths/server/server.h"
#include "scopes/scope_builder.h"
#include "tuplespace/sockets/session_socket.h"

namespace eventspace {
namespace {

// A server needs a segment only if it has trace elements. Most servers have none.
bool records(const Plan& plan, NodeIndex node) {
  return plan.collect && std::any_of(plan.traces.begin(), plan.traces.end(),
                                     [node](const TracePlan& trace) { return trace.host == Host(node); });
}

// The trace elements that trees of peers may name.
std::function<bool(const SourceRef&)> sources_of(const Plan& plan) {
  return [&plan](const SourceRef& source) {
    const TraceIndex trace(source.trace);
    return plan.traces.has(trace) && number_of_process(plan, plan.traces[trace].host) == source.process;
  };
}

// A server at a port also takes its name, so that `eventspace up` can distinguish it from a server of another
// user.
SessionSocket::Taken take(const Plan& plan, NodeIndex node, const std::string& session) {
  return SessionSocket(session, plan.nodes[node].endpoint())
      .require(fmt::format("node {} of session {}", plan.nodes[node].name, session));
}

Server::Config config_for(const Plan& plan, NodeIndex node, SessionHost& host, const PlanNames& names,
                          LocalSegments& segments, ScopePaths& scope_paths, Attendant& attendant) {
  Server::Config config;
  config.endpoint = plan.nodes[node].endpoint();
  config.name = "the server of node " + plan.nodes[node].name;
  config.session = host.session();
  config.fingerprint = plan.scopes_fingerprint;
  config.targets.emplace(path_target, host.path_targets());
  for (const auto& [kind, steering] :
       {std::pair(scope_target, Steering::refused), std::pair(steering_scope_target, Steering::allowed)})
    config.targets.emplace(
        kind, scope_target_kind(host.session(), names, segments, plan.scopes_fingerprint, host.endpoints(),
                                &plan.wrappers, &scope_paths, sources_of(plan), steering));
  config.targets.emplace(element_states_target, host.element_states_targets(true));
  config.targets.emplace(switch_target, switch_kind(host.session(), plan.nodes[node].name));
  config.routes = host.endpoints();
  config.attendant = &attendant;
  return config;
}

}  // namespace

struct NodeServer::State {
  State(const std::shared_ptr<const Plan>& plan, NodeIndex node, const Options& options)
      : names(plan),
        taken(take(*plan, node, session_name(*plan, options.session))),
        network(network_limits(plan->limits), WhenLost::reconnect, options.clock,
                session_name(*plan, options.session),
                security_of(*plan, session_name(*plan, options.session))),
        host(plan, node, session_name(*plan, options.session), records(*plan, node)),
        scope_paths(*plan, node, host),
        segments(segments_of_node(*plan, node, host.session(), options.clock)),
        attendant(segments, options.warn, &host.joints()),
        server(network, config_for(*plan, node, host, names, segments, scope_paths, attendant)) {
    if (plan->nodes[node].port != 0) taken.announce();
  }

  NamesOfPlan names;
  SessionSocket::Taken taken;  // before the network, which closes its sockets before the lock is given back
  Network network;
  SessionHost host;
  ScopePaths scope_paths;
  LocalSegments segments;
  SegmentAttendant attendant;
  Server server;
};

NodeServer::NodeServer(const std::shared_ptr<const Plan>& plan, NodeIndex node, const Options& options)
    : state_(std::make_unique<State>(plan, node, options)) {}
NodeServer::~NodeServer() = default;

void NodeServer::run() { state_->server.run(); }
void NodeServer::start() { state_->server.start(); }
void NodeServer::stop() noexcept { state_->server.stop(); }
wire::ServerReport NodeServer::report() const { return state_->server.report(); }

}  // namespace eventspace
