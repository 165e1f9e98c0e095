#pragma once

// Private to scopes/.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "scopes/recordings/recording_format.h"
#include "scopes/recordings/recording_reader.h"
#include "tuplespace/system/mapping.h"

namespace eventspace::recording {

/// Whether `file` is a regular file that begins as a recording does. False if it cannot be read.
bool is_recording_file(const std::filesystem::path& file);

/// One file of a recording that is read; RecordingReader says how. Const functions are thread-safe.
class RecordingFile {
 public:
  /// A chunk of events or a state.
  struct Chunk {
    PlacedChunk placed;
    std::size_t list{0};  ///< of events: its place among the lists of threads
  };

  /// Throws EnvironmentError, whose text says what was found, as RecordingReader does.
  explicit RecordingFile(const std::filesystem::path& file);

  [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] const FileHeader& header() const noexcept { return header_; }
  [[nodiscard]] const RecordedSession& session() const noexcept { return session_; }
  [[nodiscard]] std::span<const Chunk> chunks() const noexcept { return chunks_; }
  [[nodiscard]] const std::vector<OwnName>& names() const noexcept { return names_; }
  [[nodiscard]] const std::optional<RecordedEnd>& end() const noexcept { return end_; }
  [[nodiscard]] const RecordingReader::Damage& damage() const noexcept { return damage_; }
  [[nodiscard]] bool is_being_written() const noexcept;

  /// Throws EnvironmentError if the chunk is damaged.
  [[nodiscard]] View view(const Chunk& chunk) const;
  /// See RecordingReader::concerns.
  [[nodiscard]] bool concerns(const Chunk& chunk, std::span<const std::uint32_t> threads, bool or_own) const;

 private:
  [[noreturn]] void refuse(const std::string& why) const;
  void read_header();
  std::uint64_t read_description();
  [[nodiscard]] std::optional<ChunkHeader> chunk_at(std::uint64_t at) const;
  [[nodiscard]] std::optional<std::vector<std::byte>> body_of(const PlacedChunk& chunk) const;
  bool read_index(std::uint64_t from);
  [[nodiscard]] std::optional<Index> index_in_trailer() const;
  void scan(std::uint64_t at);
  [[nodiscard]] bool is_trailer(std::uint64_t at) const;
  [[nodiscard]] std::optional<std::uint64_t> next_chunk(std::uint64_t from) const;
  void take(const PlacedChunk& chunk);
  void read_names();

  std::filesystem::path file_;
  FileHandle handle_;
  std::uint64_t size_{0};
  FileHeader header_;
  RecordedSession session_;
  std::vector<Chunk> chunks_;
  std::vector<PlacedChunk> of_names_;
  std::optional<ReadThreadLists> threads_;
  std::vector<OwnName> names_;
  std::optional<RecordedEnd> end_;
  std::uint64_t next_number_{0};
  std::size_t next_list_{0};
  RecordingReader::Damage damage_;
};

}  // namespace eventspace::recording
