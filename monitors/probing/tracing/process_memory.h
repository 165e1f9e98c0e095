#pragma once

// Private to monitors/.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tuplespace/system/mapping.h"
#include "tuplespace/tuple.h"

namespace eventspace {

/// The memory of another process of this user, read and written through /proc/PID/mem, which also writes to
/// code. The process need not stand still. It stays that of this process when another one gets its id. Not
/// thread-safe.
class ProcessMemory {
 public:
  /// Throws EnvironmentError with the reason if it may not be opened.
  explicit ProcessMemory(std::int32_t pid);

  /// Reads what there is, up to the first page that is not: returns how many bytes.
  std::size_t read_some(std::uint64_t address, std::span<std::byte> bytes) const noexcept;
  /// Throws EnvironmentError if not all bytes are there; `process` has ended, or has no such memory.
  void read(std::uint64_t address, std::span<std::byte> bytes) const;
  void write(std::uint64_t address, Bytes bytes) const;
  [[nodiscard]] std::int32_t pid() const noexcept { return pid_; }

 private:
  std::int32_t pid_;
  FileHandle file_;
};

}  // namespace eventspace
