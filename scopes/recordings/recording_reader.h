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

namespace eventspace {

/// Whether `file` is a regular file that begins as a recording does. False if it cannot be read.
bool is_recording(const std::filesystem::path& file);

/// Reads a recording, which may come from anywhere: nothing in it is trusted, and a damaged chunk is left out
/// and counted. A file whose recorder was killed, or still runs, is read to its last whole chunk.
///
/// Opening reads the index, or, if there is none, the header of each chunk. view() reads and decompresses one
/// chunk, at most 64 MiB. Const functions are thread-safe.
class RecordingReader {
 public:
  /// Throws EnvironmentError, whose text says what was found, if the file cannot be read, is no recording, or
  /// one of another version of the format.
  explicit RecordingReader(const std::filesystem::path& file);
  ~RecordingReader();
  RecordingReader(RecordingReader&& other) noexcept;

  [[nodiscard]] const std::filesystem::path& file() const noexcept;
  [[nodiscard]] std::uint64_t bytes() const noexcept;
  [[nodiscard]] const RecordedSession& session() const noexcept;
  [[nodiscard]] std::int64_t created_realtime_ns() const noexcept;
  /// None if the recording did not end in an orderly way, or is not over.
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
    std::uint32_t records{0};
  };
  /// In the order in which they were written, which is that of read_ns.
  [[nodiscard]] std::span<const Chunk> chunks() const noexcept;
  /// The view of the chunk at `place`. Throws EnvironmentError if it is damaged.
  [[nodiscard]] View view(std::size_t place) const;
  /// All names that processes gave themselves.
  [[nodiscard]] const std::vector<OwnName>& names() const noexcept;

  /// What opening found wrong.
  struct Damage {
    std::uint64_t cut{0};       ///< bytes at the end that are no whole chunk
    std::uint64_t damaged{0};   ///< places where bytes are no chunk
    std::uint64_t repeated{0};  ///< chunks with a number that an earlier one had, or out of order
    std::uint64_t missing{0};   ///< numbers that no chunk has
    [[nodiscard]] bool any() const noexcept { return (cut | damaged | repeated | missing) != 0; }
    friend bool operator==(const Damage&, const Damage&) = default;
  };
  [[nodiscard]] const Damage& damage() const noexcept;
  /// A sentence for people; empty if there is none.
  [[nodiscard]] std::string damage_in_words() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eventspace
