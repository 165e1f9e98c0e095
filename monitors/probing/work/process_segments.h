#pragma once

// Private to monitors/.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "monitors/probing/attaching/attached_segment.h"
#include "monitors/probing/work/probed_process.h"

namespace eventspace {

/// The segments of one session in which probes in processes of this machine record. Monitors on this machine
/// see them as long as the object is there, also those of processes that have ended. Not thread-safe.
class ProcessSegments {
 public:
  /// `values`: the expressions of which each call is recorded. Throws ConfigurationError if the session
  /// cannot have this name, and EnvironmentError if processes of it run with a pathmap.
  ProcessSegments(std::string session, std::vector<std::string> values);

  /// Makes the segment of a process, and gives the functions of the plan their numbers there. A process that
  /// gets probes again has a segment more, PROGRAM:PID:2: the one from before stays with its records. Throws
  /// as AttachedSegment does.
  RecordedProbes make(std::int32_t pid, ProbePlan& plan);
  /// Says to monitors which threads record where, and what could not be recorded. To be called after each
  /// look at the processes, which are all that have probes: segments of others, whose probes were refused,
  /// are removed.
  void refresh(const std::vector<ProbedProcess>& processes);

 private:
  std::string session_;
  std::vector<std::string> values_;
  std::map<std::int32_t, std::vector<std::unique_ptr<AttachedSegment>>> segments_;  // the last is in use
};

/// Of the name of a program as a part of other names, in bytes.
inline constexpr std::size_t longest_program_name = 48;
/// The name of a process's program, as a part of a name for people; "process" if it has ended.
std::string program_of(std::int32_t pid);
/// Calls that were counted but not recorded, at the last look.
std::uint64_t unrecorded_in(const ProbedProcess& process);
/// Why there are such calls: "they were in ...".
std::string why_unrecorded_calls();

}  // namespace eventspace
