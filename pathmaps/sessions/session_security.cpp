#include "pathmaps/sessions/session_security.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "paths/security/key_file.h"
#include "paths/security/observer_token.h"

namespace eventspace {
namespace {

std::set<std::string> endpoints_on_networks(const Plan& plan) {
  std::set<std::string> found;
  const auto add = [&](const std::string& endpoint) {
    if (endpoint.starts_with("tcp://")) found.insert(endpoint);
  };
  for (const NodePlan& node : plan.nodes) add(node.endpoint());
  for (const ProcessPlan& process : plan.processes) add(process.endpoint);
  return found;
}

}  // namespace

std::string observed_endpoint(const std::string& session) {
  const auto token = token_in_environment(session);
  return token && token->session == session ? token->gateway : std::string{};
}

bool needs_keys(const Plan& plan) { return plan.keys && !endpoints_on_networks(plan).empty(); }

std::shared_ptr<const SessionSecurity> security_of(const Plan& plan, const std::string& session) {
  if (auto observer = security_of_observer(session)) return observer;
  if (!needs_keys(plan)) return nullptr;
  if (!plan.key_file.empty()) return security_of_file(plan.key_file);
  return security_of_member(use_session_keys(session));
}

std::string open_endpoints(const Plan& plan) {
  if (plan.keys) return {};
  return fmt::format("{}", fmt::join(endpoints_on_networks(plan), ", "));
}

}  // namespace eventspace
