#pragma once

// Private to monitors/.

#include <cstdint>
#include <string>
#include <vector>

#include "monitors/probing/probes/recorded_probes.h"
#include "tuplespace/trace/segment.h"

namespace eventspace {

/// The segment of a process that has none of its own: this process makes and owns it, and the probes in that
/// process record there (probes/recorded_probes.h). Monitors read it like that of a process that has joined
/// the session without a pathmap. The file is removed with the object.
///
/// Which thread of the process gets which trace element is decided there, when a thread passes its first
/// probe; refresh() says so to readers. Not thread-safe.
class AttachedSegment {
 public:
  static constexpr std::size_t most_threads = recorded::most_rings;
  /// The class of a name (SegmentName::of) that only such segments have: the process that made it records
  /// nothing there. Readers pass over it, as it is none of OwnNameOf.
  static constexpr std::uint16_t mark = 0xffff;

  /// `process`: its name in the session. Throws as Segment does, and ConfigurationError for a name of a
  /// session that cannot be one.
  AttachedSegment(const std::string& session, const std::string& process);

  /// Gives a number to the probe at a function, the same for the same names, and its values the texts of
  /// their expressions.
  std::uint32_t number_of(const std::string& function, const std::vector<std::string>& values);
  /// What the process has to know.
  [[nodiscard]] RecordedProbes recorded() const;
  /// Stores which threads of the kernel record where, and that records had no room: `unrecorded` is their
  /// number so far.
  void refresh(const std::vector<std::int32_t>& tids, std::uint64_t unrecorded);

 private:
  Segment segment_;
  std::vector<std::uint32_t> numbers_;  // of threads, and of their paths
  std::vector<std::int32_t> tids_;
  std::uint64_t unrecorded_{0};
};

}  // namespace eventspace
