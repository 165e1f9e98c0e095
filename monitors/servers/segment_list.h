#pragma once

// Private to monitors/.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tuplespace/trace/segment.h"

namespace eventspace {

/// What lies in a file of ours in shared memory.
enum class SegmentKind : std::uint8_t {
  segment,  ///< trace elements
  elements  ///< shared elements
};
std::string_view to_string(SegmentKind kind) noexcept;

/// Whose such a file is.
enum class SegmentState : std::uint8_t {
  alive,   ///< its process records
  ended,   ///< its process left in an orderly way, and is about to remove it
  dead,    ///< its process is gone without having removed it
  refused  ///< it cannot be read
};
std::string_view to_string(SegmentState state) noexcept;

/// A segment or element file of this user on this machine.
struct SegmentEntry {
  std::filesystem::path file;
  SegmentKind kind{};
  SegmentState state{};
  SegmentIdentity identity;
  std::int32_t pid{0};  ///< of a refused one: as its name says
  std::size_t trace_elements{0};
  std::size_t elements{0};  ///< shared ones
  std::uint64_t bytes{0};
  std::uint64_t events{0};                ///< recorded so far
  std::chrono::nanoseconds age{};         ///< since it was made
  std::chrono::nanoseconds silent_for{};  ///< since the end of its newest event, or since it was made
  std::string refusal;                    ///< of refused: why

  /// Nobody writes to it any more.
  [[nodiscard]] bool is_orphan() const;
};

/// Those of a session, or of all when it is empty, by file name.
std::vector<SegmentEntry> list_segments(const std::string& session);

/// Removes the orphans among `entries`: segments that have been silent for at least `kept`, as somebody may
/// want to read them, and element files at once, as nobody can use them. How many it removed.
std::size_t remove_orphans(const std::vector<SegmentEntry>& entries, std::chrono::nanoseconds kept = {});

}  // namespace eventspace
