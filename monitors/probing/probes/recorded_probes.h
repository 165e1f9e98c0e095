#pragma once

#include <array>
#include <cstdint>
#include <filesystem>

#include "monitors/probing/measuring/measuring_layout.h"

namespace eventspace {

namespace recorded = measuring::recorded;

/// The class of a name (SegmentName::of) that only the segment of an attached process has (AttachedSegment):
/// it says that the process that made the segment records nothing there. Readers skip it, as it is not a
/// value of OwnNameOf.
inline constexpr std::uint16_t attached_segment_mark = 0xffff;

/// The destination of the records of probes in a process: the rings of trace elements in a segment, a file of
/// this machine, which the process maps.
struct RecordedProbes {
  std::filesystem::path file;
  std::uint64_t inode{0};
  std::uint64_t bytes{0};  ///< mapped bytes, from the beginning of the file
  struct Ring {
    std::uint64_t offset{0};       ///< of the block in the file; the block has one lane
    std::uint64_t thread_path{0};  ///< word 2 of its records
  };
  std::array<Ring, recorded::max_rings> rings{};
};

}  // namespace eventspace
