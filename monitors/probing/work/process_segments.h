#pragma once

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
/// see them as long as the object exists, also those of processes that have ended. Not thread-safe.
class ProcessSegments {
 public:
  /// `values`: the expressions that are recorded for each call. Throws ConfigurationError for an invalid
  /// session name, and EnvironmentError if processes of the session run with a pathmap.
  ProcessSegments(std::string session, std::vector<std::string> values);

  /// Makes the segment of a process, and numbers the functions of the plan in it. A process that gets probes
  /// again gets a further segment, PROGRAM:PID:2; the earlier one is kept with its records. Throws as
  /// AttachedSegment does.
  RecordedProbes make(std::int32_t pid, ProbePlan& plan);
  /// Publishes which threads record where, and how many calls could not be recorded. To be called after each
  /// reading, with all processes that have probes: segments of other processes, whose probes were refused,
  /// are removed.
  void refresh(const std::vector<ProbedProcess>& processes);

 private:
  std::string session_;
  std::vector<std::string> values_;
  std::map<std::int32_t, std::vector<std::unique_ptr<AttachedSegment>>> segments_;  // the last is in use
};

/// Limit for a program's name as a part of other names, in bytes.
inline constexpr std::size_t longest_program_name = 48;
/// The name of a process's program, as a part of displayed names; "process" if it has ended.
std::string program_of(std::int32_t pid);
/// Calls that were counted but not recorded, at the last reading.
std::uint64_t unrecorded_in(const ProbedProcess& process);
/// The reason of such calls: "they were made by ...".
std::string why_unrecorded_calls();

}  // namespace eventspace
