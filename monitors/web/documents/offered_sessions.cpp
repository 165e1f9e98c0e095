#include "monitors/web/documents/offered_sessions.h"

#include <fmt/format.h>

#include "monitors/jobs/job_processes.h"
#include "monitors/servers/segment_list.h"
#include "monitors/sessions/session_list.h"
#include "monitors/text/counted.h"
#include "monitors/watching/running_servers.h"

namespace eventspace::web {
namespace {

std::string state_of(const SessionEntry& session) {
  return fmt::format("{}, {}", counted(session.alive, "process"), counted(session.threads, "thread"));
}

OfferedSession offered(const SessionEntry& session, const WatchedSource& common) {
  const bool has_pathmap = !session.pathmaps.empty() && *session.pathmaps.begin() != "?";
  WatchedSource source = common;
  source.named = session.name;
  if (has_pathmap) {
    source.named = *session.pathmaps.begin();
    source.session = session.name;
  }
  return {session.name, has_pathmap ? "pathmap" : "session", state_of(session), std::move(source)};
}

}  // namespace

std::string_view kind_of(const Watched& watched) noexcept {
  if (watched.recorded != nullptr) return "recording";
  return watched.plan->has_pathmap ? "pathmap" : "session";
}

std::vector<OfferedSession> sessions_here(const WatchedSource& common) {
  std::vector<OfferedSession> sessions;
  for (const SessionEntry& session : sessions_of(list_segments(""), running_servers(), jobs_elsewhere()))
    sessions.push_back(offered(session, common));
  return sessions;
}

}  // namespace eventspace::web
