#pragma once

// Private to monitors/.

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "tuplespace/system/mapping.h"

namespace eventspace {

/// Somebody else's process, held so that neither a signal nor a wait can reach a later process that was
/// given the same number (a pidfd).
class ProcessHandle {
 public:
  /// Nothing when there is no such process any more, or it ended and is not collected yet. Throws
  /// EnvironmentError when that cannot be found out, as for want of descriptors.
  static std::optional<ProcessHandle> open(std::int32_t pid, std::uint64_t start_ticks);

  void signal(int number) const noexcept;
  /// Whether it has ended, waiting for that at most so long.
  [[nodiscard]] bool wait_ended(std::chrono::nanoseconds time) const;

 private:
  explicit ProcessHandle(FileHandle handle) noexcept : handle_(std::move(handle)) {}

  FileHandle handle_;
};

/// Asks each to end (SIGTERM), and kills those that have not ended within `patience`. Returns once all ended.
void end_processes(const std::vector<const ProcessHandle*>& processes, std::chrono::nanoseconds patience);

}  // namespace eventspace
