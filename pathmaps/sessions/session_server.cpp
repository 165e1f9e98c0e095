#include "pathmaps/sessions/session_server.h"

#include <fmt/format.h>

#include <eventspace/error.h>
#include "pathmaps/hosting/session_host.h"
#include "pathmaps/plan/session_plan.h"
#include "pathmaps/sessions/open_elements.h"
#include "paths/bodies/element_reports.h"
#include "paths/links/network.h"
#include "paths/server/server.h"
#include "tuplespace/sockets/session_socket.h"

namespace eventspace {
namespace {

Server::Config config_for(const Plan& plan, const SessionSocket& socket, ElementSpace& elements) {
  Server::Config config;
  config.endpoint = socket.endpoint();
  config.name = "the server of session " + plan.name;
  config.session = plan.name;
  config.fingerprint = plan.fingerprint;
  config.targets.emplace(open_element_target, open_element_kind(elements));
  config.targets.emplace(element_states_target, element_states_kind(plan.name, plan.fingerprint, [&elements] {
                           return states_of(elements);
                         }));
  return config;
}

}  // namespace

struct SessionServer::State {
  explicit State(const std::string& session)
      : plan(plan_of_session(session)),
        socket(session),
        taken(socket.require(fmt::format("session {}", session))),
        network(network_limits(plan->limits)),
        processes(*plan, session),
        server(network, config_for(*plan, socket, elements)) {}
  ~State() { elements.close_all(); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::shared_ptr<const Plan> plan;
  SessionSocket socket;
  SessionSocket::Taken taken;  // before the server, so that the server is destroyed first
  Network network;
  LiveProcesses processes;
  ElementSpace elements;
  Server server;
};

SessionServer::SessionServer(const std::string& session) : state_(std::make_unique<State>(session)) {}
SessionServer::~SessionServer() = default;

void SessionServer::start() { state_->server.start(); }
const std::string& SessionServer::endpoint() const noexcept { return state_->socket.endpoint(); }
wire::ServerReport SessionServer::report() const { return state_->server.report(); }

bool SessionServer::is_needed() {
  return state_->server.report().open_targets > 0 || state_->processes.any();
}

void SessionServer::hide() { (void)state_->taken.hide(); }
bool SessionServer::show() { return state_->taken.show(); }

}  // namespace eventspace
