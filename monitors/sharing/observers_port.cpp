#include "monitors/sharing/observers_port.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "monitors/cli/stop_signals.h"
#include "monitors/text/plain_output.h"
#include "pathmaps/hosting/session_host.h"
#include "pathmaps/sessions/session_scopes.h"
#include "pathmaps/sessions/session_security.h"
#include "paths/bodies/element_states.h"
#include "paths/security/key_file.h"
#include "paths/security/observer_token.h"
#include "paths/server/server.h"
#include "scopes/scope_builder.h"

namespace eventspace {
namespace {

// The port uses the owner's keys towards the nodes' servers, and separate keys towards observers, which
// therefore learn nothing about the session's keys.
std::shared_ptr<const SessionSecurity> security_of_port(const ObserversPort& port, CurveKeys listening,
                                                        const PublicKey& observer) {
  const auto owner = security_of(*port.plan, port.session);
  return std::make_shared<const SessionSecurity>(
      SessionSecurity{std::move(listening),
                      owner ? owner->server : PublicKey{},
                      owner ? copy_of(owner->connecting) : make_curve_keys(),
                      {{observer, Role::observer}},
                      owner ? owner->source : "no keys",
                      {},
                      owner});
}

Server::Config config_of(const ObserversPort& port, SessionScopes* scopes) {
  Server::Config config;
  config.endpoint = fmt::format("tcp://*:{}", port.port);
  config.name = "the observers' port";
  config.session = port.session;
  config.fingerprint = port.plan->scopes_fingerprint;
  config.observable = {scope_target, element_states_target};
  if (scopes != nullptr) {
    config.targets.emplace(scope_target, scopes->target_kind());
    config.attendant = &scopes->attendant();
  } else {
    for (const NodePlan& node : port.plan->nodes) config.routes.insert(node.endpoint());
  }
  return config;
}

}  // namespace

void serve_observers(const ObserversPort& port, const std::function<void()>& listens) {
  keep_out_of_core_files();
  StopSignals signals;
  CurveKeys listening = make_curve_keys();
  ObserverToken token{port.session, fmt::format("tcp://{}:{}", port.host, port.port), listening.open,
                      make_curve_keys()};
  Network network(network_limits(port.plan->limits), WhenLost::reconnect, NodeClock(), port.session,
                  security_of_port(port, std::move(listening), token.observer.open));
  std::optional<SessionScopes> scopes;
  if (!port.plan->has_pathmap) scopes.emplace(port.plan, print_warning);
  Server server(network, config_of(port, scopes ? &*scopes : nullptr));
  server.start();
  std::string text = to_text(token);
  write_secret_file(port.token, text);
  overwrite(text);
  listens();
  signals.wait();
  server.stop();
}

}  // namespace eventspace
