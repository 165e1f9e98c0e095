#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "monitors/jobs/job_processes.h"
#include "monitors/servers/segment_list.h"
#include "monitors/watching/running_servers.h"

namespace eventspace {

/// A session of this user that has segments or servers on this machine.
struct SessionEntry {
  std::string name;
  std::set<std::string> pathmaps;  ///< files; "?" for an unknown one; empty if it has none
  std::set<std::string> nodes;
  std::size_t alive{0};            ///< processes that run, or that may run
  std::size_t unknown{0};          ///< thereof processes that may be alive or dead
  std::size_t dead{0};             ///< processes that are gone and have left their segment
  std::size_t threads{0};          ///< that record
  std::uint64_t events{0};         ///< recorded so far
  std::size_t servers{0};          ///< of nodes, and of a session without a pathmap
  std::chrono::nanoseconds age{};  ///< since the oldest of its segments was made, or of its servers started
};

/// Returns the sessions of these segments and servers, by name. The pathmap of a process is known from its
/// environment, as `eventspace run` sets it; for other processes it is "?", unless a server reports it. For
/// jobs on several machines, the processes elsewhere also count.
std::vector<SessionEntry> sessions_of(const std::vector<SegmentEntry>& segments,
                                      const std::vector<RunningServer>& servers = {},
                                      const std::vector<JobElsewhere>& jobs = {});

/// Returns the variable `name` in the environment with which process `pid` was started; empty if it has none
/// or cannot be read.
std::string variable_of_process(std::int32_t pid, const std::string& name);

}  // namespace eventspace
