#include "monitors/watching/reach.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include <eventspace/error.h>
#include "monitors/text/name_ranges.h"
#include "monitors/text/text_format.h"
#include "monitors/watching/running_servers.h"
#include "pathmaps/sessions/session_security.h"
#include "paths/links/local_endpoint.h"
#include "paths/security/session_security.h"
#include "tuplespace/sockets/session_socket.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

using std::chrono::nanoseconds;

// The servers that the consumer itself contacts: the servers of the outermost nodes, or the gateways before
// them.
void add_first_hops(const ScopeNode& node, std::set<std::string>& endpoints) {
  if (!node.endpoint.empty()) {
    endpoints.insert(node.route.empty() ? node.endpoint : node.route.front());
    return;
  }
  for (const ScopeNode& child : node.children) add_first_hops(child, endpoints);
}

std::string names_of(const Plan& plan, const std::set<std::string>& endpoints) {
  std::vector<std::string> names;
  for (const NodePlan& node : plan.nodes)
    if (endpoints.contains(node.endpoint())) names.push_back(node.name);
  return collapse_numbered(names);
}

// A server without a port that does not hold its socket is not running, so it need not be waited for.
std::set<std::string> that_may_answer(const Consumer& consumer, const std::set<std::string>& endpoints,
                                      Deadline deadline) {
  std::set<std::string> left;
  for (const std::string& endpoint : endpoints) {
    const bool is_local = is_local_endpoint(endpoint);
    if (!is_local || SessionSocket(consumer.session(), endpoint).is_served_soon(deadline))
      left.insert(endpoint);
  }
  return left;
}

// The port that an observer contacts instead of servers; empty for the owner of the session.
std::string observers_port_of(const Consumer& consumer) {
  const auto security = security_of(consumer.plan(), consumer.session());
  return security == nullptr ? std::string() : security->gateway;
}

// Returns the first answers. `waited` must be 0; it is set to the time spent waiting.
std::map<std::string, Consumer::Answer> ask(Consumer& consumer, const std::set<std::string>& endpoints,
                                            nanoseconds patience, nanoseconds& waited) {
  const bool is_observer = !observers_port_of(consumer).empty();
  for (std::optional<nanoseconds> more = patience; more;) {
    const auto candidates = that_may_answer(consumer, endpoints, Deadline::after(*more));
    auto answers = consumer.ask_any(candidates, *more);
    if (!answers.empty()) return answers;
    waited += *more;
    more.reset();
    if (!is_observer) more = further_patience(servers_here(consumer.session(), endpoints), waited);
  }
  return {};
}

std::string no_answer_of(const Consumer& consumer, const std::vector<ServerHere>& servers,
                         const std::set<std::string>& endpoints, nanoseconds waited) {
  const std::vector<ServerHere> stopped = stopped_among(servers);
  if (stopped.size() < servers.size()) {
    return fmt::format(
        "the servers of session '{}' run but have not answered for {} (nodes {}); the machine may be "
        "busy: use --timeout to wait longer",
        escaped(consumer.session()), short_duration(waited), names_of(consumer.plan(), endpoints));
  }
  std::set<std::string> at;
  std::vector<std::int32_t> pids;
  for (const ServerHere& server : stopped) {
    at.insert(server.endpoint);
    pids.push_back(server.pid);
  }
  return fmt::format("the servers of session '{}' are stopped (nodes {}): `kill -CONT {}` resumes them",
                     escaped(consumer.session()), names_of(consumer.plan(), at), fmt::join(pids, " "));
}

std::string no_server(const Consumer& consumer, const std::set<std::string>& endpoints, const AskedFor& asked,
                      nanoseconds waited) {
  if (const std::string port = observers_port_of(consumer); !port.empty()) {
    return fmt::format(
        "the observers' port {} does not answer: it was closed (`eventspace unshare`, `eventspace down`), or "
        "cannot be reached from here; the owner of the session can make a new token",
        escaped(port));
  }
  if (const auto servers = servers_here(consumer.session(), endpoints); !servers.empty())
    return no_answer_of(consumer, servers, endpoints, waited);
  const auto others = other_sessions_of(asked.pathmap.string(), consumer.session());
  const std::string found = others.empty()
                                ? std::string()
                                : fmt::format("; found session '{0}' of this pathmap: use `--session {0}`",
                                              escaped(others.front()));
  return fmt::format("no server of session '{}' answers ({} {}): run `eventspace up {}` first{}",
                     escaped(consumer.session()), endpoints.size() == 1 ? "node" : "nodes",
                     names_of(consumer.plan(), endpoints), words_of(asked), found);
}

std::string why_foreign(const Consumer& consumer, const Consumer::Answer& answer, const AskedFor& asked) {
  if (!answer.report)
    return fmt::format("a server of this pathmap refused the request: {}", escaped(answer.refusal));
  const wire::ServerReport& report = *answer.report;
  const std::string file = escaped(asked.pathmap.string());
  if (report.session != consumer.session()) {
    return fmt::format(
        "found {} of session '{}', not of session '{}': use `--session {}`, or give the sessions "
        "different ports",
        escaped(report.name), escaped(report.session), escaped(consumer.session()), escaped(report.session));
  }
  return fmt::format(
      "{} runs with another version of the pathmap than {}: run `eventspace down {}` and `eventspace up {}`, "
      "or name the file that started it",
      escaped(report.name), file, words_of(asked), words_of(asked));
}

bool is_ours(const Consumer& consumer, const Consumer::Answer& answer) {
  return answer.report && answer.report->session == consumer.session() &&
         answer.report->fingerprint == consumer.plan().scopes_fingerprint;
}

}  // namespace

std::string words_of(const AskedFor& asked) {
  const std::string file = escaped(asked.pathmap.string());
  return asked.session.empty() ? file : fmt::format("{} --session {}", file, escaped(asked.session));
}

void require_servers(Consumer& consumer, const ScopeTree& tree, const AskedFor& asked, nanoseconds timeout) {
  // In a job, the processes on this machine are read without a server, and a machine that does not answer is
  // missing in the views.
  if (!consumer.plan().key_file.empty()) return;
  std::set<std::string> endpoints;
  add_first_hops(tree.root, endpoints);
  if (!endpoints.empty())
    require_servers(consumer, endpoints, asked, timeout.count() > 0 ? timeout : tree.root.timeout);
}

void require_servers(Consumer& consumer, const std::set<std::string>& endpoints, const AskedFor& asked,
                     nanoseconds timeout) {
  // A short time-out of pulls must not make a busy server count as missing.
  const nanoseconds patience = std::max<nanoseconds>(timeout, std::chrono::seconds(1));
  nanoseconds waited{0};
  const auto answers = ask(consumer, endpoints, patience, waited);
  const auto ours =
      std::ranges::find_if(answers, [&](const auto& answer) { return is_ours(consumer, answer.second); });
  if (ours != answers.end()) return;
  throw EnvironmentError(answers.empty() ? no_server(consumer, endpoints, asked, waited)
                                         : why_foreign(consumer, answers.begin()->second, asked));
}

std::string next_step(Found found, bool is_recorded, const AskedFor& asked) {
  if (is_recorded) {
    return fmt::format("the recording contains nothing that matches; `eventspace info {}` shows its contents",
                       words_of(asked));
  }
  if (found == Found::no_answer)
    return "no pull was answered in time; the machine may be busy: use --timeout to wait longer";
  if (found == Found::others)
    return fmt::format(
        "no matching event was recorded in this time, only other or earlier events; `eventspace events {}` "
        "shows them",
        words_of(asked));
  if (found == Found::processes) {
    return fmt::format(
        "the processes have recorded nothing for this scope yet: `eventspace switch {}` shows what "
        "they record",
        words_of(asked));
  }
  return fmt::format(
      "no process of the session runs: none has started yet, or all have ended. `eventspace run {}` starts "
      "the application; programs outside the session are not observed",
      words_of(asked));
}

}  // namespace eventspace
