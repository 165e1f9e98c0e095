#include "monitors/sessions/session_list.h"

#include <algorithm>
#include <fstream>

namespace eventspace {
namespace {

std::string pathmap_of(const SegmentEntry& segment) {
  std::string file = variable_of_process(segment.pid, "EVENTSPACE_PATHMAP");
  return file.empty() ? "?" : file;
}

void add(SessionEntry& session, const SegmentEntry& segment) {
  const bool is_alive = segment.state == SegmentState::alive;
  const bool is_unknown = segment.state == SegmentState::unknown;
  session.alive += is_alive || is_unknown ? 1 : 0;
  session.unknown += is_unknown ? 1 : 0;
  session.dead += segment.is_orphan() ? 1 : 0;
  session.threads += segment.threads;
  session.events += segment.events;
  session.age = std::max(session.age, segment.age);
  session.nodes.insert(segment.identity.node);
  if (segment.identity.fingerprint != 0)
    session.pathmaps.insert(is_alive && segment.is_seen ? pathmap_of(segment) : "?");
}

// Servers inside the application's processes do not count in addition to these processes.
void add(SessionEntry& session, const RunningServer& server) {
  if (server.of == RunningServer::Of::process) return;
  ++session.servers;
  session.age = std::max(session.age, server.age);
  if (!server.node.empty()) session.nodes.insert(server.node);
  if (!server.pathmap.empty()) session.pathmaps.insert(server.pathmap);
}

void add(SessionEntry& session, const RemoteProcess& process) {
  const bool is_alive = process.state == to_string(SegmentState::alive);
  const bool is_unknown = process.state == to_string(SegmentState::unknown);
  session.alive += is_alive || is_unknown ? 1 : 0;
  session.unknown += is_unknown ? 1 : 0;
  session.dead += is_alive || is_unknown ? 0 : 1;
  session.threads += process.threads;
  session.nodes.insert(process.node);
}

}  // namespace

std::string variable_of_process(std::int32_t pid, const std::string& name) {
  std::ifstream variables("/proc/" + std::to_string(pid) + "/environ");
  for (std::string variable; std::getline(variables, variable, '\0');) {
    if (variable.starts_with(name + "=")) return variable.substr(name.size() + 1);
  }
  return {};
}

std::vector<SessionEntry> sessions_of(const std::vector<SegmentEntry>& segments,
                                      const std::vector<RunningServer>& servers,
                                      const std::vector<JobElsewhere>& jobs) {
  std::map<std::string, SessionEntry> sessions;
  for (const SegmentEntry& segment : segments) {
    if (segment.kind != SegmentKind::segment || segment.identity.session.empty()) continue;
    add(sessions[segment.identity.session], segment);
  }
  for (const RunningServer& server : servers)
    if (server.of != RunningServer::Of::process || sessions.contains(server.session))
      add(sessions[server.session], server);
  for (const JobElsewhere& job : jobs)
    for (const RemoteProcess& process : job.processes) add(sessions[job.session], process);
  std::vector<SessionEntry> all;
  for (auto& [name, session] : sessions) {
    session.name = name;
    if (session.pathmaps.size() > 1) session.pathmaps.erase("?");
    all.push_back(std::move(session));
  }
  return all;
}

}  // namespace eventspace
