#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "tuplespace/system/mapping.h"

namespace eventspace::exports {

/// An unnamed file for data that an export cannot keep in memory. It is removed with the object or the
/// process. Its mode is 0600. Not thread-safe.
class UnnamedFile {
 public:
  /// Throws EnvironmentError with the name of `directory` if the file cannot be made there.
  explicit UnnamedFile(std::filesystem::path directory);

  /// Writes all bytes at `offset`, or throws EnvironmentError, such as when the disk is full.
  void write(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Fills `bytes` from `offset`, or throws EnvironmentError, also if the file is shorter.
  void read(std::uint64_t offset, std::span<std::byte> bytes) const;

 private:
  std::filesystem::path directory_;
  FileHandle file_;
};

}  // namespace eventspace::exports
