#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <eventspace/tuple.h>
#include "tuplespace/system/mapping.h"

namespace eventspace {

/// The memory of another process of this user, read and written through /proc/PID/mem, which also writes to
/// code. The process need not be stopped. The object keeps referring to the same process when its id is
/// reused. Not thread-safe.
class ProcessMemory {
 public:
  /// Throws EnvironmentError with the reason if the memory may not be opened.
  explicit ProcessMemory(std::int32_t pid);

  /// Reads up to the first unreadable page. Returns the number of bytes read.
  std::size_t read_some(std::uint64_t address, std::span<std::byte> bytes) const noexcept;
  /// Throws EnvironmentError if not all bytes can be read: the process has ended, or does not have that
  /// memory.
  void read(std::uint64_t address, std::span<std::byte> bytes) const;
  void write(std::uint64_t address, Bytes bytes) const;
  [[nodiscard]] std::int32_t pid() const noexcept { return pid_; }

 private:
  std::int32_t pid_;
  FileHandle file_;
};

}  // namespace eventspace
