#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <vector>

#include "scopes/recordings/chunk.h"
#include "scopes/recordings/recording_format.h"
#include "scopes/recordings/thread_lists.h"
#include "tuplespace/system/mapping.h"

namespace eventspace::recording {

/// When the events of a chunk began and ended, on the recorder's clock. Without events, `last` is before
/// `first`.
struct Span {
  std::int64_t first{std::numeric_limits<std::int64_t>::max()};
  std::int64_t last{std::numeric_limits<std::int64_t>::min()};
};

/// A chunk to be written, without its body.
struct NewChunk {
  ChunkKind kind{ChunkKind::events};
  std::int64_t read_ns{0};
  Span span{};
  std::size_t records{0};
  ChunkContent content{};  ///< for a chunk of events
};

/// A recording's file that is being written: a new file of mode 0600, locked by this process, to which whole
/// chunks are appended. Functions block until the bytes are written. Not thread-safe.
class ChunkFile {
 public:
  /// Throws EnvironmentError if the file exists and `replaces` is not set, if another process is writing it,
  /// or if it cannot be made.
  ChunkFile(std::filesystem::path file, int level, bool replaces);

  /// Appends the chunk. Throws EnvironmentError if it cannot be written, for example when the disk is full;
  /// the file then ends with the previous chunk, and no more can be added.
  void add(const NewChunk& chunk, Bytes body);
  /// Appends the index and the trailer, and waits until everything is on the disk. Throws as add() does.
  void finish(std::int64_t ended_ns);

  [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  void append(Bytes first, Bytes second, Bytes third = {});
  [[noreturn]] void fail(std::uint64_t whole, int error);

  std::filesystem::path file_;
  FileHandle handle_;
  Compressor compressor_;
  std::vector<std::byte> rest_;  // the part of a chunk after its body
  std::uint64_t number_;
  std::vector<PlacedChunk> chunks_;
  ThreadLists threads_;
  std::uint64_t bytes_{0};
  bool has_failed_{false};
};

/// Removes the file if it exists. Throws EnvironmentError if a process is writing it as a recording, or if it
/// cannot be removed. Processes that have it open keep it.
void remove_recording(const std::filesystem::path& file);
/// Removes the files that exist. Throws as remove_recording() does; removes none if a process is writing one
/// of them.
void remove_recordings(std::span<const std::filesystem::path> files);

}  // namespace eventspace::recording
