#pragma once

// Private to monitors/.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "tuplespace/system/mapping.h"

namespace eventspace::exports {

/// A file without a name, for what an export cannot keep in memory. It is gone when the object, or the
/// process, is. Its mode is 0600. Not thread-safe.
class UnnamedFile {
 public:
  /// Throws EnvironmentError, which names `directory`, if the file cannot be made there.
  explicit UnnamedFile(std::filesystem::path directory);

  /// Writes all bytes at `offset`, or throws EnvironmentError, as when the disk is full.
  void write(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Fills `bytes` from `offset`, or throws EnvironmentError: also if the file is shorter.
  void read(std::uint64_t offset, std::span<std::byte> bytes) const;

 private:
  std::filesystem::path directory_;
  FileHandle file_;
};

}  // namespace eventspace::exports
