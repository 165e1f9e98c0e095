#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "paths/views/view.h"
#include "scopes/recordings/recording.h"
#include "scopes/recordings/recording_damage.h"

namespace eventspace {

/// Whether `file` is a regular file that begins like a recording, or a recording in parts has this name
/// (RecordingWriter::Config::Rotation). False if it cannot be read.
bool is_recording(const std::filesystem::path& file);

/// Reads a recording, which is not trusted. A few damaged bytes are repaired; a chunk beyond repair is left
/// out and counted (RecordingDamage). A file whose recorder was killed, or still runs, is read to its last
/// whole chunk. The parts of a recording are read as one; each can also be read alone, by its name.
///
/// Opening reads the index of each file, or, without an index, the header of each chunk. Up to a size of
/// max_checked, it also reads all bytes to find damage. In a larger recording, a damaged chunk shows when
/// view() reads it, unless Check::all is requested. view() reads and decompresses one chunk, at most 64 MiB.
/// Const functions are thread-safe.
class RecordingReader {
 public:
  static constexpr std::uint64_t max_checked = std::uint64_t{1} << 28;
  enum class Check : std::uint8_t { bounded, all };

  /// If the file does not exist, opens the parts of the recording of that name. Throws EnvironmentError,
  /// whose text describes the fault, if the file cannot be read, or is not a recording of a known version of
  /// the format; or if the parts are not of one recording.
  explicit RecordingReader(const std::filesystem::path& file, Check check = Check::bounded);
  ~RecordingReader();
  RecordingReader(RecordingReader&& other) noexcept;

  [[nodiscard]] const std::filesystem::path& file() const noexcept;
  [[nodiscard]] std::uint64_t bytes() const noexcept;
  [[nodiscard]] const RecordedSession& session() const noexcept;
  [[nodiscard]] std::int64_t created_realtime_ns() const noexcept;
  /// The files that are read: one, or the parts.
  [[nodiscard]] std::vector<std::filesystem::path> files() const;
  /// The end of the recording; nothing if it did not end in an orderly way, is not over, or its last part
  /// cannot be read. Events and losses are the totals of all parts that exist.
  [[nodiscard]] const std::optional<RecordedEnd>& end() const noexcept;
  /// Whether a process is still writing it.
  [[nodiscard]] bool is_being_written() const noexcept;

  enum class Kind : std::uint8_t { events, state };
  /// Times are on the recorder's clock (RecordedSession::begun_ns).
  struct Chunk {
    Kind kind{Kind::events};
    std::int64_t read_ns{0};
    std::int64_t first_ns{0};  ///< when its first event began
    std::int64_t last_ns{0};   ///< when its last event ended
    std::uint32_t records{0};  ///< records that can be read
    bool is_lost{false};       ///< it cannot be read; or something that cannot be read was here
    std::uint32_t lost{0};     ///< records that were in it, if it is lost and this is known
  };
  /// In the order in which they were written, which is the order of read_ns.
  [[nodiscard]] std::span<const Chunk> chunks() const noexcept;
  /// The view of the chunk at `place`. Throws EnvironmentError if it is damaged.
  [[nodiscard]] View view(std::size_t place) const;
  /// Whether the chunk at `place` has events of one of `threads`, which rise, or, if `or_own`, of any thread
  /// with a process-local id (scopes/tree/local_ids.h), or reports losses or missing parts. Other chunks
  /// need not be read for these threads. True if the file does not have an index.
  [[nodiscard]] bool concerns(std::size_t place, std::span<const std::uint32_t> threads,
                              bool or_own = false) const;
  /// All names that processes gave themselves.
  [[nodiscard]] const std::vector<OwnName>& names() const noexcept;

  using Damage = RecordingDamage;
  [[nodiscard]] const Damage& damage() const noexcept;
  /// Whether all bytes were read to find damage: see Check.
  [[nodiscard]] bool is_checked() const noexcept;
  /// A sentence for people; empty if nothing is damaged.
  [[nodiscard]] std::string damage_in_words() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eventspace
