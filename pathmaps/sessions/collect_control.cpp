#include "pathmaps/sessions/collect_control.h"

#include <fmt/format.h>

#include <deque>
#include <utility>

#include "collectors/switching/switch_processes.h"
#include "collectors/switching/switch_target.h"
#include "pathmaps/expansion/routes.h"
#include "pathmaps/hosting/session_host.h"
#include "pathmaps/sessions/session_security.h"
#include "paths/links/link_pool.h"
#include "paths/remote/remote_stage.h"

namespace eventspace {
namespace {

RemoteTarget server_of(const Plan& plan, NodeIndex node, const std::string& session) {
  std::vector<std::string> hops;
  for (const NodeIndex gateway : expansion::route_between(plan, std::nullopt, node))
    hops.push_back(plan.nodes[gateway].endpoint());
  hops.push_back(plan.nodes[node].endpoint());
  RemoteTarget target;
  target.endpoint = hops.front();
  target.open = {switch_target, switch_spec(session), {hops.begin() + 1, hops.end()}};
  target.node = plan.nodes[node].name;
  return target;
}

/// The order under way to one server.
class Asked {
 public:
  Asked(LinkPool& links, RemoteTarget target, const SwitchOrder& order, Deadline deadline)
      : stage_(links, std::move(target), std::make_unique<SwitchClient>()) {
    body_.order = order;
    operation_.verb = Verb::exchange;
    operation_.body = &body_;
    operation_.deadline = deadline;
    stage_.begin(operation_);
  }
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;
  ~Asked() = default;

  SwitchedNode finish(NodeIndex node) {
    stage_.finish(operation_);
    if (operation_.status == Status::ok)
      return {node, SwitchedNode::By::server, std::move(body_.processes), {}};
    return {node, SwitchedNode::By::neither, {}, refusal()};
  }

 private:
  [[nodiscard]] std::string refusal() const {
    if (operation_.status == Status::timed_out || operation_.status == Status::closed)
      return "its server does not answer";
    return operation_.reason.empty() ? std::string(to_string(operation_.status)) : operation_.reason;
  }

  RemoteStage stage_;
  SwitchBody body_;
  Operation operation_;
};

}  // namespace

std::vector<SwitchedNode> switch_nodes(const Plan& plan, const std::string& session,
                                       const std::vector<NodeIndex>& nodes, const SwitchOrder& order,
                                       std::chrono::nanoseconds timeout) {
  Network network(network_limits(plan.limits), WhenLost::reconnect, NodeClock(), session,
                  security_of(plan, session));
  LinkPool links(network);
  const Deadline deadline = Deadline::after(timeout);
  std::deque<Asked> asked;  // all are sent before waiting for the first
  for (const NodeIndex node : nodes)
    asked.emplace_back(links, server_of(plan, node, session), order, deadline);
  std::vector<SwitchedNode> outcomes;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    SwitchedNode outcome = asked[i].finish(nodes[i]);
    if (outcome.by == SwitchedNode::By::neither) {
      outcome.processes = switch_processes(session, plan.nodes[nodes[i]].name, order);
      const bool is_here = !find_segments(session, plan.nodes[nodes[i]].name).empty();
      if (is_here) outcome.by = SwitchedNode::By::directly;
    }
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

}  // namespace eventspace
