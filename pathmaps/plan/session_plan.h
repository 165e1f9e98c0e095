#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "pathmaps/plan/plan.h"

namespace eventspace {

/// Plans of sessions that have no pathmap. Such a plan knows one node, this machine, and no process, thread
/// or element: those name themselves while they run, and their names travel with the views (OwnName). Its
/// Plan::has_pathmap is false.

/// Whether `name` ends as the file of a pathmap does: in ".yaml" or ".yml".
bool looks_like_pathmap(std::string_view name) noexcept;
/// Throws ConfigurationError unless `name` can be the name of a session: 1 to 63 bytes of UTF-8, without '/'
/// and control characters, and not like the file of a pathmap.
void check_session_name(std::string_view name);
/// Returns the name of this machine as a node: $EVENTSPACE_NODE, or the host's name if that is unset or
/// empty. At most 63 bytes.
std::string own_node_name();

/// Returns the plan for monitors of session `name`. It has these scopes, which read all processes of the
/// session on this machine, directly, without a server:
///
///     heartbeat            the newest event of each trace element
///     events               unread events
///     values               unread events, as the mean duration for each thread
///     values-by-process    the same for each process
///     values-by-node       the same for each node
///
/// The fingerprint depends on the name only: all machines have the same plan of a session. Throws
/// ConfigurationError as check_session_name does.
std::shared_ptr<const Plan> plan_of_session(const std::string& name);

/// Returns the plan for monitors elsewhere, with the same scopes. All processes are read by the server that
/// listens at `endpoint`, "tcp://HOST:PORT": the port for observers of session `name` (SessionScopes). Throws
/// ConfigurationError as check_session_name does, and if `endpoint` has another form.
std::shared_ptr<const Plan> plan_of_session_at(const std::string& name, std::string_view endpoint);

/// Returns the plan of a process that joins a session without a pathmap. Its fingerprint is 0, which says
/// that the numbers in its segment are its own.
std::shared_ptr<const Plan> plan_of_unplanned_process(const std::string& session, const std::string& node,
                                                      const std::string& process);

}  // namespace eventspace
