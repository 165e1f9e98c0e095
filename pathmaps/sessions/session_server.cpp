#include "pathmaps/sessions/session_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "pathmaps/hosting/segment_search.h"
#include "pathmaps/hosting/session_host.h"
#include "pathmaps/plan/session_plan.h"
#include "pathmaps/sessions/open_elements.h"
#include "paths/bodies/element_reports.h"
#include "paths/links/network.h"
#include "paths/server/server.h"
#include "tuplespace/system/error.h"
#include "tuplespace/system/session_socket.h"

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

// Each question is answered from a new reading of the directory.
LocalSegments::Config search_for(const Plan& plan, const std::string& session) {
  LocalSegments::Config config = segments_of_machine(plan, session);
  config.rescan = std::chrono::nanoseconds(0);
  return config;
}

}  // namespace

struct SessionServer::State {
  explicit State(const std::string& session)
      : plan(plan_of_session(session)),
        socket(session),
        taken(socket.require(fmt::format("session {}", session))),
        network(network_limits(plan->limits)),
        segments(search_for(*plan, session)),
        server(network, config_for(*plan, socket, elements)) {}
  ~State() { elements.close_all(); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::shared_ptr<const Plan> plan;
  SessionSocket socket;
  SessionSocket::Taken taken;  // before the server, which is destroyed before it
  Network network;
  LocalSegments segments;
  ElementSpace elements;
  Server server;
};

SessionServer::SessionServer(const std::string& session) : state_(std::make_unique<State>(session)) {}
SessionServer::~SessionServer() = default;

void SessionServer::start() { state_->server.start(); }
const std::string& SessionServer::endpoint() const noexcept { return state_->socket.endpoint(); }
wire::ServerReport SessionServer::report() const { return state_->server.report(); }

bool SessionServer::is_needed() {
  if (state_->server.report().open_targets > 0) return true;
  const auto& processes = state_->segments.find_unplanned().list();
  return std::ranges::any_of(processes, [this](const UnplannedProcess& process) {
    const SegmentView& segment = *process.run->segment;
    const RunState state = segment.intact() ? state_->segments.state_of(segment) : RunState::dead;
    return state == RunState::running || state == RunState::stopped;
  });
}

void SessionServer::hide() { (void)state_->taken.hide(); }
bool SessionServer::show() { return state_->taken.show(); }

// A process may connect after the last look. So the look that counts comes when none can connect any more,
// and those that had begun to have become connections. The elements are dropped only then.
void serve_until_idle(SessionServer& server, std::chrono::nanoseconds idle,
                      const std::function<bool(std::chrono::nanoseconds)>& wait) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::nanoseconds longest = std::chrono::seconds(1);
  constexpr std::chrono::nanoseconds until_connected = std::chrono::milliseconds(20);
  auto needed = Clock::now();
  while (
      !wait(std::min(longest, std::max(idle / 4, std::chrono::nanoseconds(std::chrono::milliseconds(1)))))) {
    if (server.is_needed()) needed = Clock::now();
    if (Clock::now() - needed < idle) continue;
    server.hide();
    if (wait(until_connected) || !server.is_needed() || !server.show()) return;
    needed = Clock::now();
  }
}

}  // namespace eventspace
