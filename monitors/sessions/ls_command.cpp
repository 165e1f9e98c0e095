#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>

#include <eventspace/error.h>
#include "monitors/cli/command.h"
#include "monitors/cli/options.h"
#include "monitors/cli/result_table.h"
#include "monitors/jobs/job_processes.h"
#include "monitors/sessions/session_list.h"
#include "monitors/text/plain_output.h"
#include "monitors/watching/running_servers.h"
#include "pathmaps/jobs/job_of_session.h"
#include "pathmaps/plan/session_plan.h"

namespace eventspace {
namespace {

struct LsOptions {
  std::string session;
  Format format{Format::text};
};

void print_sessions(const std::vector<SessionEntry>& sessions, Format format) {
  ResultTable table(
      {"session", "pathmap", "nodes", "processes", "unknown", "dead", "threads", "events", "age", "servers"});
  for (const SessionEntry& session : sessions) {
    table.add({session.name,
               session.pathmaps.empty() ? "-" : fmt::format("{}", fmt::join(session.pathmaps, " ")),
               fmt::format("{}", fmt::join(session.nodes, " ")), session.alive, session.unknown, session.dead,
               session.threads, session.events, age_cell(session.age, format), session.servers});
  }
  table.print(std::cout, format);
}

std::string name_of(const RunningServer& server) {
  return server.of == RunningServer::Of::session ? "server" : "server@" + server.node;
}

void print_elsewhere(ResultTable& table, const std::vector<RemoteProcess>& processes) {
  for (const RemoteProcess& process : processes)
    table.add({process.name, process.node, process.pid, process.state, process.threads, {}, {}, {}});
}

void print_processes(const std::vector<SegmentEntry>& segments, const std::vector<RunningServer>& servers,
                     const std::vector<RemoteProcess>& elsewhere, Format format) {
  ResultTable table({"process", "node", "pid", "state", "threads", "trace_elements", "events", "age"});
  for (const SegmentEntry& segment : segments) {
    if (segment.kind != SegmentKind::segment) continue;
    table.add({segment.identity.process, segment.identity.node, segment.pid, to_string(segment.state),
               segment.threads, segment.trace_elements, segment.events, age_cell(segment.age, format)});
  }
  for (const RunningServer& server : servers)
    table.add({name_of(server), server.node, server.pid, "alive", 0, 0, 0, age_cell(server.age, format)});
  print_elsewhere(table, elsewhere);
  table.print(std::cout, format);
}

int list_sessions(const LsOptions& options) {
  const auto sessions = sessions_of(list_segments(""), running_servers(), jobs_elsewhere());
  if (sessions.empty() && options.format == Format::text) {
    std::cerr
        << "eventspace: no session on this machine; `eventspace run -- CMD` or `eventspace run PATHMAP` "
           "starts one\n";
    return exit_fine;
  }
  print_sessions(sessions, options.format);
  return exit_fine;
}

int list_processes(const LsOptions& options) {
  check_session_name(options.session);
  const auto segments = list_segments(options.session);
  std::vector<RunningServer> servers = running_servers();
  std::erase_if(servers, [&](const RunningServer& server) {
    return server.session != options.session || server.of == RunningServer::Of::process;
  });
  const auto job = find_job(options.session, print_warning);
  if (segments.empty() && servers.empty() && !job) {
    throw EnvironmentError(fmt::format(
        "no process and no server of a session '{}' on this machine; `eventspace ls` lists the sessions",
        options.session));
  }
  print_processes(segments, servers,
                  job ? processes_elsewhere(plan_of_found_job(*job, options.session, print_warning))
                      : std::vector<RemoteProcess>(),
                  options.format);
  return exit_fine;
}

}  // namespace

Command ls_command(const CommandContext& /*context*/) {
  const CommandGuide guide{
      .group = CommandGroup::machine,
      .place = 1,
      .examples = {{"eventspace ls", "the sessions of this user on this machine"},
                   {"eventspace ls solver", "the processes of one session"}},
      .statuses = {{exit_unreachable, "the session has no process and no server on this machine"}}};
  return {"ls", "List the sessions on this machine, or the processes of one",
          with_options<LsOptions>(
              [](CLI::App& app, LsOptions& options) {
                app.add_option("SESSION", options.session,
                               "Session whose processes are listed [lists all sessions]");
                add_format(app, options.format);
              },
              [](const LsOptions& options) {
                return options.session.empty() ? list_sessions(options) : list_processes(options);
              }),
          guide};
}

}  // namespace eventspace
