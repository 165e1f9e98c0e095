#include "pathmaps/elements/element_asker.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <eventspace/session.h>
#include "pathmaps/expansion/routes.h"
#include "pathmaps/hosting/session_host.h"
#include "pathmaps/plan/match.h"
#include "pathmaps/plan/plan.h"
#include "pathmaps/sessions/session_security.h"
#include "paths/links/link_pool.h"
#include "paths/links/network.h"
#include "paths/remote/remote_stage.h"
#include "tuplespace/sockets/session_socket.h"

namespace eventspace {
namespace {

// The host that reports the state of an element; for a shared element, the server of its node.
std::optional<Host> teller_of(const Plan& plan, const ElementPlan& element) {
  if (!element.is_element()) return std::nullopt;
  if (element.is_shared()) return Host(plan.node_of(element.host));
  const auto* const process = std::get_if<ProcessIndex>(&element.host);
  if (process != nullptr && plan.processes[*process].endpoint.empty()) return std::nullopt;
  return element.host;
}

std::string name_of_host(const Plan& plan, const Host& host) {
  return match(
      host, [&](const ProcessIndex& process) { return "process " + plan.processes[process].name; },
      [&](const NodeIndex& node) { return "node " + plan.nodes[node].name; });
}

RemoteTarget target_of(const Plan& plan, const Host& host, const std::string& session) {
  const NodeIndex node = plan.node_of(host);
  std::vector<std::string> hops;
  for (const NodeIndex gateway : expansion::route_between(plan, std::nullopt, node))
    hops.push_back(plan.nodes[gateway].endpoint());
  hops.push_back(plan.nodes[node].endpoint());
  if (const auto* const process = std::get_if<ProcessIndex>(&host))
    hops.push_back(plan.processes[*process].endpoint);
  RemoteTarget target;
  target.endpoint = hops.front();
  target.open = {
      element_states_target, element_states_spec(session, plan.fingerprint), {hops.begin() + 1, hops.end()}};
  target.node = plan.nodes[node].name;
  return target;
}

/// Per host; if a server claims more, the rest is not requested.
constexpr std::uint32_t max_elements = 1 << 17;

/// A host, and the pending request to it.
class AskedHost {
 public:
  AskedHost(LinkPool& links, RemoteTarget target, std::string host)
      : host_(std::move(host)), stage_(links, std::move(target), std::make_unique<ElementStatesClient>()) {}
  AskedHost(const AskedHost&) = delete;
  AskedHost& operator=(const AskedHost&) = delete;
  ~AskedHost() = default;

  /// Whether it did not answer the previous request.
  [[nodiscard]] bool is_silent() const noexcept { return is_silent_; }

  void begin(Deadline deadline, std::uint32_t first = 0) {
    body_ = ElementStatesBody();
    body_.first = first;
    operation_ = Operation();
    operation_.verb = Verb::pull;
    operation_.body = &body_;
    operation_.deadline = deadline;
    stage_.begin(operation_);
  }

  // States beyond the size of one reply are requested in turn.
  ElementAnswer finish() {
    ElementAnswer answer{host_, {}, {}};
    for (;;) {
      stage_.finish(operation_);
      is_silent_ = operation_.status == Status::timed_out;
      if (operation_.status != Status::ok) {
        answer.refusal = refusal();
        return answer;
      }
      const bool is_empty = body_.states.empty();
      std::ranges::move(body_.states, std::back_inserter(answer.states));
      if (is_empty || answer.states.size() >= std::min(body_.all, max_elements)) return answer;
      begin(operation_.deadline, static_cast<std::uint32_t>(answer.states.size()));
    }
  }

 private:
  [[nodiscard]] std::string refusal() const {
    if (operation_.status == Status::timed_out) return "it does not answer: it is not running, or busy";
    return operation_.reason.empty() ? std::string(to_string(operation_.status)) : operation_.reason;
  }

  std::string host_;
  RemoteStage stage_;
  ElementStatesBody body_;
  Operation operation_;
  bool is_silent_{false};
};

}  // namespace

struct ElementAsker::State {
  State(std::shared_ptr<const Plan> of, const std::string& given)
      : plan(std::move(of)),
        session(session_name(*plan, given)),
        network(network_limits(plan->limits), WhenLost::reconnect, NodeClock(), session,
                security_of(*plan, session)),
        links(network) {}

  AskedHost& at(const Host& host) {
    const auto known = asked.find(host);
    if (known != asked.end()) return known->second;
    return asked.try_emplace(host, links, target_of(*plan, host, session), name_of_host(*plan, host))
        .first->second;
  }
  // The server of a session without a pathmap, whose plan has one node.
  AskedHost& at_session() {
    RemoteTarget target;
    target.endpoint = SessionSocket(session).endpoint();
    target.open = {element_states_target, element_states_spec(session, plan->fingerprint), {}};
    target.node = plan->nodes[NodeIndex(0)].name;
    return asked.try_emplace(Host(NodeIndex(0)), links, std::move(target), "session " + session)
        .first->second;
  }

  std::shared_ptr<const Plan> plan;
  std::string session;
  Network network;
  LinkPool links;
  std::map<Host, AskedHost> asked;
};

ElementAsker::ElementAsker(std::shared_ptr<const Plan> plan, const std::string& session)
    : state_(std::make_unique<State>(std::move(plan), session)) {}
ElementAsker::~ElementAsker() = default;

std::vector<ElementAnswer> ElementAsker::ask(std::chrono::nanoseconds timeout) {
  return ask(timeout, timeout);
}

std::vector<ElementAnswer> ElementAsker::ask(const std::vector<ElementIndex>& elements,
                                             std::chrono::nanoseconds timeout) {
  return ask(elements, timeout, timeout);
}

std::vector<ElementAnswer> ElementAsker::ask(std::chrono::nanoseconds timeout,
                                             std::chrono::nanoseconds for_silent) {
  const auto indices = state_->plan->elements.indices();
  return ask(std::vector<ElementIndex>(indices.begin(), indices.end()), timeout, for_silent);
}

std::vector<ElementAnswer> ElementAsker::ask(const std::vector<ElementIndex>& elements,
                                             std::chrono::nanoseconds timeout,
                                             std::chrono::nanoseconds for_silent) {
  const Plan& plan = *state_->plan;
  const Deadline deadline = Deadline::after(timeout);
  const Deadline soon = Deadline::after(std::min(timeout, for_silent));
  std::map<Host, AskedHost*> hosts;
  if (!plan.has_pathmap) hosts.emplace(NodeIndex(0), &state_->at_session());
  for (const ElementIndex element : elements) {
    if (const auto host = teller_of(plan, plan.elements[element])) hosts.emplace(*host, &state_->at(*host));
  }
  for (auto& [host, asked] : hosts) asked->begin(asked->is_silent() ? soon : deadline);
  std::vector<ElementAnswer> answers;
  answers.reserve(hosts.size());
  for (auto& [host, asked] : hosts) answers.push_back(asked->finish());
  return answers;
}

bool can_be_asked(const Plan& plan, ElementIndex element) {
  return teller_of(plan, plan.elements[element]).has_value();
}

}  // namespace eventspace
