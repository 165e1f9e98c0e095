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

/// Whether `file` is a regular file that begins as a recording does, or there are parts of a recording of
/// that name (RecordingWriter::Config::Rotation). False if it cannot be read.
bool is_recording(const std::filesystem::path& file);

/// Reads a recording, which may come from anywhere: nothing in it is trusted. A few damaged bytes are
/// repaired; a chunk that cannot be is left out and counted (RecordingDamage). A file whose recorder was
/// killed, or still runs, is read to its last whole chunk. The parts of a recording are read as one; each can
/// also be read alone, by its own name.
///
/// Opening reads the index of each file, or, if there is none, the header of each chunk; and all of it, to
/// find what is damaged, if it is no larger than most_checked. In a larger recording, a damaged chunk shows
/// when view() reads it, unless Check::all is asked for. view() reads and decompresses one chunk, at most 64
/// MiB. Const functions are thread-safe.
class RecordingReader {
 public:
  static constexpr std::uint64_t most_checked = std::uint64_t{1} << 28;
  enum class Check : std::uint8_t { bounded, all };

  /// If there is no such file, opens the parts of the recording of that name. Throws EnvironmentError, whose
  /// text says what was found, if the file cannot be read, is no recording, or one of another version of the
  /// format; or if the parts are not of one recording.
  explicit RecordingReader(const std::filesystem::path& file, Check check = Check::bounded);
  ~RecordingReader();
  RecordingReader(RecordingReader&& other) noexcept;

  [[nodiscard]] const std::filesystem::path& file() const noexcept;
  [[nodiscard]] std::uint64_t bytes() const noexcept;
  [[nodiscard]] const RecordedSession& session() const noexcept;
  [[nodiscard]] std::int64_t created_realtime_ns() const noexcept;
  /// The files that are read: one, or the parts.
  [[nodiscard]] std::vector<std::filesystem::path> files() const;
  /// None if the recording did not end in an orderly way, or is not over, or its last part cannot be
  /// read. Of parts: events and losses are those of all that are there.
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
    std::uint32_t records{0};  ///< that can be read
    bool is_lost{false};       ///< it cannot be read; or something that cannot be read was here
    std::uint32_t lost{0};     ///< records that were in it, if it is lost and this is known
  };
  /// In the order in which they were written, which is that of read_ns.
  [[nodiscard]] std::span<const Chunk> chunks() const noexcept;
  /// The view of the chunk at `place`. Throws EnvironmentError if it is damaged.
  [[nodiscard]] View view(std::size_t place) const;
  /// Whether the chunk at `place` has events of one of `threads`, which rise, or, if `or_own`, of any thread
  /// with an own number (scopes/tree/own_numbers.h), or says what was lost or missing: others need not be
  /// read for these threads. True if the file has no index.
  [[nodiscard]] bool concerns(std::size_t place, std::span<const std::uint32_t> threads,
                              bool or_own = false) const;
  /// All names that processes gave themselves.
  [[nodiscard]] const std::vector<OwnName>& names() const noexcept;

  using Damage = RecordingDamage;
  [[nodiscard]] const Damage& damage() const noexcept;
  /// Whether all bytes were read to find it: see Check.
  [[nodiscard]] bool is_checked() const noexcept;
  /// A sentence for people; empty if nothing is damaged.
  [[nodiscard]] std::string damage_in_words() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eventspace
