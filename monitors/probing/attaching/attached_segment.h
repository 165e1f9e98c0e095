#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "monitors/probing/probes/recorded_probes.h"
#include "tuplespace/trace/segment.h"

namespace eventspace {

/// A segment that this process makes and owns for another process, which has none; the probes in that process
/// record there (probes/recorded_probes.h). Monitors read it like the segment of a process that has joined
/// the session without a pathmap. The file is removed with the object.
///
/// A thread of the other process claims a trace element when it passes its first probe; refresh() publishes
/// this to readers. Not thread-safe.
class AttachedSegment {
 public:
  static constexpr std::size_t max_threads = recorded::max_rings;

  /// `process`: its name in the session. Throws as Segment does, and ConfigurationError if `session` is not a
  /// valid name.
  AttachedSegment(const std::string& session, const std::string& process);

  /// Numbers the probe at a function, the same for the same names, and names its values by the texts of their
  /// expressions.
  std::uint32_t number_of(const std::string& function, const std::vector<std::string>& values);
  /// The data that probes in the process need.
  [[nodiscard]] RecordedProbes recorded() const;
  /// Publishes which kernel threads record in which trace element. `unrecorded` counts all records so far
  /// that had no room.
  void refresh(const std::vector<std::int32_t>& tids, std::uint64_t unrecorded);

 private:
  Segment segment_;
  std::vector<std::uint32_t> numbers_;  // of threads and of their paths
  std::vector<std::int32_t> tids_;
  std::uint64_t unrecorded_{0};
};

}  // namespace eventspace
