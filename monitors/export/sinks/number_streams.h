#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "monitors/export/reading/unnamed_file.h"

namespace eventspace::exports {

/// Rows of numbers in many streams, which grow together and are read one after the other. Each stream keeps
/// its end in memory, up to a block of 32 KiB; earlier blocks are in one unnamed file:
///
///     block:  numbers, each in 7 bits a byte, the lowest first ... | 8 bytes: offset of the next block
///     row:    count of its numbers, and these; may go on in the next block
///
/// So memory grows only with the number of streams. Small numbers take little space. Not thread-safe.
class NumberStreams {
 public:
  using Row = std::span<const std::uint64_t>;
  /// Returns whether to continue.
  using Use = std::function<bool(Row)>;

  /// `directory`: place of the file, if it is needed.
  explicit NumberStreams(std::filesystem::path directory) : directory_(std::move(directory)) {}

  /// Adds a row of at most `max_numbers` to a stream, which is created if needed: streams are numbered from
  /// 0, without gaps. Throws EnvironmentError if the file cannot be made or written.
  static constexpr std::size_t max_numbers = 4096;
  void add(std::size_t stream, Row row);
  /// Passes the rows of a stream to `use`, in their order, until it returns false. Throws EnvironmentError if
  /// the file cannot be read.
  void read(std::size_t stream, const Use& use) const;

 private:
  static constexpr std::size_t block_bytes = 32768;
  static constexpr std::size_t numbers_bytes = block_bytes - sizeof(std::uint64_t);  // of a block

  struct Stream {
    std::vector<std::byte> end{};          // the incomplete block
    std::uint64_t offset{0};               // where it will be written, if `first` is set
    std::optional<std::uint64_t> first{};  // offset of the first block; nullopt if the file has none
    std::uint64_t blocks{0};               // in the file
  };
  class Reader;
  void put(Stream& stream, std::uint64_t number);
  void write_block(Stream& stream);

  std::filesystem::path directory_;
  std::optional<UnnamedFile> file_;
  std::uint64_t next_block_{0};  // the offset after all blocks with a place
  std::vector<Stream> streams_;
};

}  // namespace eventspace::exports
