#include "monitors/servers/server_probe.h"

#include <fmt/format.h>

#include "tuplespace/sockets/session_socket.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

std::string place_of(const NodePlan& node) {
  return node.port == 0 ? node.endpoint() : fmt::format("port {}", node.port);
}

}  // namespace

ServerProbe probe_server(Consumer& consumer, NodeIndex node, std::chrono::nanoseconds time) {
  using Answer = ServerProbe::Answer;
  const auto [report, refusal] = consumer.ask(node, time);
  const std::string place = place_of(consumer.plan().nodes[node]);
  if (!refusal.empty()) return {Answer::foreign, 0, fmt::format("{} is taken: {}", place, refusal)};
  if (!report) return {};
  if (report->session == consumer.session() && report->fingerprint == consumer.plan().scopes_fingerprint) {
    return {Answer::ours, report->pid, {}};
  }
  const bool other_session = report->session != consumer.session();
  return {Answer::foreign, report->pid,
          fmt::format("{} is taken by {} of {} (pid {})", place, escaped(report->name),
                      other_session ? fmt::format("session '{}'", escaped(report->session))
                                    : "this session with another pathmap",
                      report->pid)};
}

ServerProbe probe_server_here(Consumer& consumer, NodeIndex node, std::chrono::nanoseconds time) {
  using Answer = ServerProbe::Answer;
  ServerProbe probe = probe_server(consumer, node, time);
  const NodePlan& asked = consumer.plan().nodes[node];
  // A server takes the name before it listens, so a server of this user that answers has the name.
  if (probe.answer != Answer::ours || SessionSocket(consumer.session(), asked.endpoint()).is_served())
    return probe;
  return {
      Answer::foreign, probe.pid,
      fmt::format("{} is taken by a server of session '{}' that belongs to another user, or was started with "
                  "another XDG_RUNTIME_DIR",
                  place_of(asked), consumer.session())};
}

}  // namespace eventspace
