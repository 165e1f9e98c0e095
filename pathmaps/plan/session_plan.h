#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pathmaps/plan/plan.h"

namespace eventspace {

/// Plans of sessions without a pathmap. Such a plan has one node, this machine, but no processes, threads or
/// elements: these name themselves while they run, and their names travel with the views (OwnName). Its
/// Plan::has_pathmap is false.

/// Whether `name` ends like a pathmap file: in ".yaml" or ".yml".
bool looks_like_pathmap(std::string_view name) noexcept;
/// Throws ConfigurationError unless `name` is a valid session name: 1 to 63 bytes of UTF-8, without '/' and
/// control characters, and not like a pathmap file.
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

/// The maximum number of machines of one job (pathmaps/jobs/job_directory.h). Each has a number below that.
inline constexpr std::uint32_t max_job_nodes = 256;
/// Another machine of a job, with the address for monitors.
struct JobPeer {
  std::uint32_t number{0};
  std::string node;
  std::string address;
  std::uint16_t port{0};
};
/// Returns the plan of the server of a job's machine with number `number`: like plan_of_session, but its
/// processes get numbers that other machines of the job do not use.
std::shared_ptr<const Plan> plan_of_job_node(const std::string& session, std::uint32_t number);
/// Returns the plan for monitors of a job of several machines, with the scopes of plan_of_session. They read
/// the processes of this machine, whose number is `number` (max_job_nodes if it has none), directly, and the
/// processes of `peers` through their servers, with the keys in `key_file`.
std::shared_ptr<const Plan> plan_of_job(const std::string& session, std::uint32_t number,
                                        const std::vector<JobPeer>& peers,
                                        const std::filesystem::path& key_file);

/// Returns the plan of a process that joins a session without a pathmap. Its fingerprint is 0, which means
/// that the numbers in its segment are process-local.
std::shared_ptr<const Plan> plan_of_dynamic_process(const std::string& session, const std::string& node,
                                                    const std::string& process,
                                                    std::optional<JobMember> member = {});

}  // namespace eventspace
