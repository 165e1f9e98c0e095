#include "pathmaps/sessions/node_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include "collectors/switching/switch_target.h"
#include "pathmaps/plan/plan_names.h"
#include "pathmaps/sessions/path_target.h"
#include "pathmaps/sessions/scope_paths.h"
#include "pathmaps/sessions/segment_search.h"
#include "pathmaps/sessions/session.h"
#include "pathmaps/sessions/session_host.h"
#include "pathmaps/sessions/session_security.h"
#include "paths/bodies/element_states.h"
#include "paths/server/server.h"
#include "scopes/scope_builder.h"
#include "tuplespace/system/session_socket.h"

namespace eventspace {
namespace {

// A server needs a segment only if it has trace elements. Most servers have none.
bool records(const Plan& plan, NodeIndex node) {
  return plan.collect && std::any_of(plan.traces.begin(), plan.traces.end(),
                                     [node](const TracePlan& trace) { return trace.host == Host(node); });
}

std::string without_watch(const std::string& problem) {
  return fmt::format(
      "{}: processes that start are found only when a monitor pulls, so events of runs that begin and end "
      "between two pulls may be missed, uncounted",
      problem);
}

// Attends to the joints, and maps the segment of each process as soon as it appears. A pull can then read the
// events of a process that started and ended since the previous pull.
class NodeAttendant final : public Attendant {
 public:
  NodeAttendant(Attendant& joints, LocalSegments& segments, std::function<void(const std::string&)> warn)
      : joints_(&joints), segments_(&segments), warn_(std::move(warn)) {}

  void begin(LinkPool& links, std::function<void()> call) override {
    watch_ = segments_->watch([this, call] {
      is_new_ = true;  // before call(): attend() must see it
      call();
    });
    if (!watch_->works() && warn_) warn_(without_watch(watch_->problem()));
    segments_->look();  // finds the segments that were created before the watch
    joints_->begin(links, std::move(call));
  }
  void attend() override {
    if (is_new_.exchange(false)) segments_->look();
    joints_->attend();
  }
  Deadline due() override { return joints_->due(); }
  void end() override {
    watch_.reset();
    joints_->end();
  }

 private:
  Attendant* joints_;
  LocalSegments* segments_;
  std::function<void(const std::string&)> warn_;
  std::unique_ptr<DirectoryWatch> watch_;
  std::atomic<bool> is_new_{false};
};

// The trace elements that trees of peers may name.
std::function<bool(const SourceRef&)> sources_of(const Plan& plan) {
  return [&plan](const SourceRef& source) {
    const TraceIndex trace(source.trace);
    return plan.traces.has(trace) && number_of_process(plan, plan.traces[trace].host) == source.process;
  };
}

// A server at a port takes its name too: so `eventspace up` can tell it from a server of another user.
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
  config.targets.emplace(scope_target,
                         scope_target_kind(names, segments, plan.scopes_fingerprint, host.endpoints(),
                                           &plan.wrappers, &scope_paths, sources_of(plan)));
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
        attendant(host.joints(), segments, options.warn),
        server(network, config_for(*plan, node, host, names, segments, scope_paths, attendant)) {
    if (plan->nodes[node].port != 0) taken.announce();
  }

  NamesOfPlan names;
  SessionSocket::Taken taken;  // before the network, which closes its sockets before the lock is given back
  Network network;
  SessionHost host;
  ScopePaths scope_paths;
  LocalSegments segments;
  NodeAttendant attendant;
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
