#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <eventspace/tuple.h>

/// Which threads have events in which chunk of a recording: the part of its index for seeking by thread.
/// docs/recording-format.md describes the bytes. Pure.
namespace eventspace::recording {

/// The contents of a chunk of events.
struct ChunkContent {
  std::vector<std::uint32_t> threads;  ///< threads that recorded its events, each once, rising
  bool has_rest{false};                ///< losses or missing parts, which concern readers of any thread
};

/// The lists of a file that is being written. Add chunks in the order of the file. If the lists would take
/// more than 16 MiB they are dropped; readers then read every chunk.
class ThreadLists {
 public:
  void add(const ChunkContent& content);
  /// Empty if they were dropped.
  [[nodiscard]] Bytes bytes() const noexcept { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
  bool are_dropped_{false};
};

/// The lists of a file that is being read.
class ReadThreadLists {
 public:
  /// Returns nothing if `bytes`, which are not trusted, are not the lists of `chunks` chunks of events.
  static std::optional<ReadThreadLists> read(Bytes bytes, std::size_t chunks);

  /// Whether the chunk of events at this place has events of one of `threads`, which rise, or, if `or_own`,
  /// of any thread with a process-local id (scopes/tree/local_ids.h), or has_rest.
  [[nodiscard]] bool concerns(std::size_t place, std::span<const std::uint32_t> threads,
                              bool or_own = false) const;

 private:
  std::vector<std::byte> bytes_;
  std::vector<std::size_t> starts_;  // of the list of each chunk
};

}  // namespace eventspace::recording
