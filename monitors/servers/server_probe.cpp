#include "monitors/servers/server_probe.h"

#include <fmt/format.h>

#include "tuplespace/system/plain_text.h"

namespace eventspace {

ServerProbe probe_server(Consumer& consumer, NodeIndex node, std::chrono::nanoseconds time) {
  using Answer = ServerProbe::Answer;
  const auto [report, refusal] = consumer.ask(node, time);
  const std::uint16_t port = consumer.plan().nodes[node].port;
  if (!refusal.empty()) return {Answer::foreign, 0, fmt::format("port {} is taken: {}", port, refusal)};
  if (!report) return {};
  if (report->session == consumer.session() && report->fingerprint == consumer.plan().scopes_fingerprint) {
    return {Answer::ours, report->pid, {}};
  }
  const bool other_session = report->session != consumer.session();
  return {Answer::foreign, report->pid,
          fmt::format("port {} is taken by {} of {} (pid {})", port, escaped(report->name),
                      other_session ? fmt::format("session '{}'", escaped(report->session))
                                    : "this session, but of another pathmap",
                      report->pid)};
}

}  // namespace eventspace
