#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>

#include "scopes/tree/local_ids.h"

namespace eventspace {

/// The process-local numbers (scopes/tree/local_ids.h) that a process has given to its threads and paths.
/// Numbers are never given back. Thread-safe.
class LocalIdPool {
 public:
  /// `process`: its number in the plan, or dynamic_process.
  explicit LocalIdPool(std::uint32_t process) noexcept : first_(local_ids_of(process)) {}

  /// Returns a number that was not taken before, near `wish` modulo the size of the range. With the kernel's
  /// id of a thread as the wish, two runs of a process rarely use one number for two threads. Returns nothing
  /// if all are taken.
  std::optional<std::uint32_t> take(std::uint32_t wish) {
    const std::lock_guard lock(mutex_);
    if (!first_ || taken_.size() == local_ids_per_process) return std::nullopt;
    std::uint32_t chosen = wish % local_ids_per_process;
    while (!taken_.insert(*first_ + chosen).second) chosen = (chosen + 1) % local_ids_per_process;
    return *first_ + chosen;
  }

 private:
  std::optional<std::uint32_t> first_;
  std::mutex mutex_;  // guards taken_
  std::set<std::uint32_t> taken_;
};

}  // namespace eventspace
