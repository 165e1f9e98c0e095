#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "scopes/recordings/recording_format.h"
#include "tuplespace/system/mapping.h"

namespace eventspace::recording {

/// Finds and reads the chunks of a recording's file, which is not trusted and may be damaged anywhere. Const
/// functions are thread-safe.
class ChunkSource {
 public:
  /// Throws EnvironmentError if it cannot be opened or is not a regular file.
  explicit ChunkSource(std::filesystem::path file);

  [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }
  /// The size when it was opened.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// The number of the file, which its chunks have. 0 means that chunks of any number are found.
  void set_number(std::uint64_t number) noexcept { number_ = number; }

  /// The bytes of the file from `at`, up to `size`.
  [[nodiscard]] std::vector<std::byte> read(std::uint64_t at, std::size_t size) const;

  /// The chunk with a valid header at this place, whose body does not extend beyond the end of the file;
  /// otherwise nothing. Its repair part may be cut off.
  [[nodiscard]] std::optional<ChunkHeader> chunk_at(std::uint64_t at) const;

  /// A chunk that was found after a damaged place.
  struct Found {
    PlacedChunk chunk;
    bool by_its_end{false};  ///< its first header is damaged; the one at its end was found
  };
  /// The first chunk with either header at `from` or later that does not begin before `from`, and whose
  /// headers are at most `most` bytes further. Reads each byte about once, regardless of the number of marks
  /// that do not begin a chunk.
  [[nodiscard]] std::optional<Found> next_chunk(std::uint64_t from, std::uint64_t most = UINT64_MAX) const;

  /// The body of a chunk, decompressed, or nothing if it is damaged beyond repair.
  [[nodiscard]] std::optional<std::vector<std::byte>> body_of(const PlacedChunk& chunk) const;

  enum class Health : std::uint8_t {
    whole,
    repairable,  ///< some of its bytes are damaged, but nothing is lost
    lost
  };
  /// Reads all bytes of the chunk.
  [[nodiscard]] Health health_of(const PlacedChunk& chunk) const;

 private:
  [[nodiscard]] std::optional<Found> chunk_by_mark(std::uint64_t at, std::uint64_t from) const;
  [[nodiscard]] std::vector<std::byte> stored_of(const PlacedChunk& chunk, bool& was_damaged) const;

  std::filesystem::path file_;
  FileHandle handle_;
  std::uint64_t size_{0};
  std::uint64_t number_{0};
};

}  // namespace eventspace::recording
