#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "tuplespace/system/mapping.h"

namespace eventspace {

/// A process that this one need not have started, held by a pidfd, so that neither a signal nor a wait can
/// reach a later process with the same number.
class ProcessHandle {
 public:
  /// Returns nullopt when the process has ended, even if its parent has not collected it yet. Throws
  /// EnvironmentError when this cannot be determined, for example when no descriptor is left.
  static std::optional<ProcessHandle> open(std::int32_t pid, std::uint64_t start_ticks);

  void signal(int number) const noexcept;
  /// Waits up to `time` until the process has ended. Returns whether it has.
  [[nodiscard]] bool wait_ended(std::chrono::nanoseconds time) const;

 private:
  explicit ProcessHandle(FileHandle handle) noexcept : handle_(std::move(handle)) {}

  FileHandle handle_;
};

/// Sends SIGTERM to each process, and SIGKILL to those that have not ended within `patience`. Returns when
/// all have ended.
void end_processes(const std::vector<const ProcessHandle*>& processes, std::chrono::nanoseconds patience);

}  // namespace eventspace
