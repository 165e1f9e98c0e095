#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "scopes/recordings/chunk_source.h"
#include "scopes/recordings/recording_damage.h"
#include "scopes/recordings/recording_format.h"

namespace eventspace::recording {

/// Whether `file` is a regular file that begins like a recording, or whose begin is damaged but soon followed
/// by chunks. False if it cannot be read.
bool is_recording_file(const std::filesystem::path& file);

/// One file of a recording that is read; see RecordingReader. Const functions are thread-safe.
class RecordingFile {
 public:
  /// A chunk of events or a state; or a place that probably held some.
  struct Chunk {
    PlacedChunk placed;
    std::size_t list{0};  ///< for events: its place among the lists of threads
    bool is_lost{false};  ///< it cannot be read
  };

  /// Reads all bytes if there are at most `max_checked`, otherwise only the headers of chunks. Throws
  /// EnvironmentError as RecordingReader does; its text describes the fault.
  RecordingFile(const std::filesystem::path& file, std::uint64_t max_checked);

  [[nodiscard]] const std::filesystem::path& file() const noexcept { return source_.file(); }
  [[nodiscard]] std::uint64_t size() const noexcept { return source_.size(); }
  [[nodiscard]] const FileHeader& header() const noexcept { return header_; }
  [[nodiscard]] const RecordedSession& session() const noexcept { return session_; }
  [[nodiscard]] std::span<const Chunk> chunks() const noexcept { return chunks_; }
  [[nodiscard]] const std::vector<OwnName>& names() const noexcept { return names_; }
  [[nodiscard]] const std::optional<RecordedEnd>& end() const noexcept { return end_; }
  [[nodiscard]] const RecordingDamage& damage() const noexcept { return damage_; }
  [[nodiscard]] bool is_being_written() const noexcept;

  /// Throws EnvironmentError if the chunk is damaged.
  [[nodiscard]] View view(const Chunk& chunk) const;
  /// See RecordingReader::concerns.
  [[nodiscard]] bool concerns(const Chunk& chunk, std::span<const std::uint32_t> threads, bool or_own) const;

 private:
  [[noreturn]] void refuse(const std::string& why) const;
  void read_header();
  [[nodiscard]] std::optional<Index> index_at(std::uint64_t at) const;
  [[nodiscard]] std::optional<Index> index_in_trailer() const;
  [[nodiscard]] bool fits(const std::optional<Index>& index) const;
  void take_index(Index index);
  void scan();
  bool end_with_index(const PlacedChunk& chunk);
  void look_behind(std::uint64_t at);
  void take(const PlacedChunk& chunk);
  void take_known(const PlacedChunk& chunk);
  void take_gap(std::uint64_t at, std::uint64_t bytes);
  void check(bool reads_all);
  [[nodiscard]] bool check(const PlacedChunk& chunk);
  void date_gaps();
  void read_descriptions();
  void read_names();
  void read_end();

  ChunkSource source_;
  FileHeader header_;
  RecordedSession session_;
  bool was_being_written_;
  std::vector<Chunk> chunks_;
  std::vector<PlacedChunk> of_names_;
  std::vector<PlacedChunk> descriptions_;
  std::vector<PlacedChunk> others_;  // indexes
  std::optional<PlacedChunk> of_end_;
  std::optional<ReadThreadLists> threads_;
  std::vector<OwnName> names_;
  std::optional<RecordedEnd> end_;
  std::uint64_t next_number_{0};
  std::size_t next_list_{0};
  bool is_behind_gap_{false};
  RecordingDamage damage_;
  RecordingDamage damage_of_header_;
};

}  // namespace eventspace::recording
