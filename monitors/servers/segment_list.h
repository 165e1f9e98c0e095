#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuplespace/trace/segment.h"

namespace eventspace {

/// The contents of a file of EventSpace in shared memory.
enum class SegmentKind : std::uint8_t {
  segment,   ///< trace elements
  annex,     ///< trace elements with a separate lifetime or place
  elements,  ///< shared elements
  control,   ///< settings of what a segment records; listed only if its segment is missing
  draft      ///< an incomplete file: its process was killed while it made the file
};
std::string_view to_string(SegmentKind kind) noexcept;

/// The state of such a file and its process.
enum class SegmentState : std::uint8_t {
  alive,    ///< its process runs
  ended,    ///< its process ended in an orderly way and is about to remove it
  dead,     ///< its process is gone and has not removed it
  refused,  ///< it cannot be read
  unknown   ///< its process is in another PID namespace, and its file system has no locks
};
std::string_view to_string(SegmentState state) noexcept;

/// A file of this user on this machine.
struct SegmentEntry {
  std::filesystem::path file;
  SegmentKind kind{};
  SegmentState state{};
  SegmentIdentity identity;
  /// If refused or a draft: from the name of the file. If `is_seen`, the id in this /proc; otherwise the id
  /// in its namespace.
  std::int32_t pid{0};
  bool is_seen{false};     ///< /proc has the process
  std::size_t threads{0};  ///< that have begun to record
  std::size_t trace_elements{0};
  std::size_t elements{0};  ///< the number of shared elements
  std::uint64_t bytes{0};
  std::uint64_t events{0};                         ///< recorded so far
  std::optional<std::chrono::nanoseconds> keep{};  ///< how long to keep it; nullopt means the session's time
  std::chrono::nanoseconds age{};                  ///< since the file was made
  std::chrono::nanoseconds silent_for{};           ///< since its newest event, or since it was made
  std::string refusal;                             ///< if refused: why

  /// Whether no process can write to it any more.
  [[nodiscard]] bool is_orphan() const;
};

/// The files of `session`, or of all sessions when it is empty, sorted by file name: those in the directory
/// of segments, then annexes in `annex_directories`. Without the drafts and control files of processes that
/// are about to join.
std::vector<SegmentEntry> list_segments(const std::string& session,
                                        const std::vector<std::filesystem::path>& annex_directories = {});

/// Whether this number is reserved for a future thread, with a spare trace element (GrowingTraces).
bool is_spare_thread(std::uint32_t thread, const SegmentView& view);

/// Removes the orphans among `entries` and returns their number. If `kept` is given, removes only segments
/// and annexes that have been silent for at least that time, or for the time that the file itself gives,
/// because a user may still want to read them; and all element files, other control files and drafts, because
/// no process can use them any more. Control files that go with their segments are not counted.
std::size_t remove_orphans(const std::vector<SegmentEntry>& entries,
                           std::optional<std::chrono::nanoseconds> kept = std::nullopt);

/// Removes the segments of `session` whose processes have ended in an orderly way and have left them
/// (SegmentKeeping), and that have been silent for `silent_for`. Returns their number.
std::size_t remove_ended(const std::string& session, std::chrono::nanoseconds silent_for);

}  // namespace eventspace
