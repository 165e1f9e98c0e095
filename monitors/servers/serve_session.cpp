#include "monitors/servers/serve_session.h"

#include <fmt/format.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <thread>

#include <eventspace/error.h>
#include "monitors/cli/command.h"
#include "monitors/cli/stop_signals.h"
#include "monitors/servers/child_process.h"
#include "monitors/servers/descriptor_limit.h"
#include "monitors/text/plain_output.h"
#include "pathmaps/jobs/job_server.h"
#include "pathmaps/plan/session_plan.h"
#include "pathmaps/sessions/session_server.h"
#include "paths/security/secret_key.h"
#include "tuplespace/sockets/session_socket.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;

std::string required_session(const std::string& given) {
  const char* const variable = std::getenv("EVENTSPACE_SESSION");
  std::string session = !given.empty() ? given : variable != nullptr ? variable : "";
  if (session.empty())
    throw ConfigurationError("found neither a pathmap nor a session; use PATHMAP --node, or --session");
  check_session_name(session);
  return session;
}

std::unique_ptr<EndingServer> make_server(const std::string& session, const std::filesystem::path& job) {
  if (job.empty()) return std::make_unique<SessionServer>(session);
  keep_out_of_core_files();
  return std::make_unique<JobServer>(session, JobDirectory(job), print_warning);
}

int serve_here(const std::string& session, const std::filesystem::path& job,
               std::optional<std::chrono::nanoseconds> idle) {
  allow_connections(plan_of_session(session)->limits.connections);
  StopSignals signals;
  const auto server = make_server(session, job);
  server->start();
  std::cout << "serving session " << session << " at " << server->endpoint() << std::endl;
  if (idle) {
    serve_until_idle(*server, *idle, [&](std::chrono::nanoseconds pause) { return signals.wait_for(pause); });
  } else {
    signals.wait();
  }
  return exit_fine;
}

// The first rank of a job on its machine does not wait for the server; if it cannot serve, the reason is
// written to the directory of the job.
int leave_job_server_in_background(const SessionServing& serving, const std::string& session,
                                   std::chrono::nanoseconds idle) {
  const SessionSocket socket(session, name_of_job_server(serving.job));
  if (socket.is_served()) return exit_fine;
  ChildSpec spec{
      {"eventspace", "serve", "--session", session, "--job", serving.job.string()}, {}, "/dev/null", true};
  (void)ChildProcess::fork(spec, [&] {
    (void)socket.is_served_soon(Deadline::after(10s));  // waits until an ending server has ended
    return serve_here(session, serving.job, idle);
  });
  return exit_fine;
}

// Another process may start a server of this session at the same time; it is sufficient that one of them
// serves.
int leave_in_background(const std::string& session, std::chrono::nanoseconds idle) {
  const SessionSocket socket(session);
  const Deadline deadline = Deadline::after(10s);
  if (socket.is_served_soon(deadline)) return exit_fine;
  ChildSpec spec{{"eventspace", "serve", "--session", session}, {}, "/dev/null", true};
  ChildProcess server = ChildProcess::fork(spec, [&] { return serve_here(session, {}, idle); });
  while (!socket.is_served()) {
    const bool has_ended = server.poll().has_value();
    if ((!has_ended || socket.is_taken()) && !deadline.passed()) {
      std::this_thread::sleep_for(2ms);
      continue;
    }
    if (socket.is_served()) break;
    throw EnvironmentError(
        fmt::format("the server of session {} {}; `eventspace serve --session {}` shows the reason", session,
                    has_ended ? "has ended" : "does not start", session));
  }
  return exit_fine;
}

}  // namespace

int serve_session(const SessionServing& serving) {
  const std::string session = required_session(serving.session);
  const auto idle = serving.idle.value_or(10s);
  if (!serving.background) return serve_here(session, serving.job, serving.idle);
  return serving.job.empty() ? leave_in_background(session, idle)
                             : leave_job_server_in_background(serving, session, idle);
}

}  // namespace eventspace
