#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <utility>

#include <eventspace/error.h>
#include "monitors/probing/tracing/traced_process.h"

namespace eventspace {

/// The number of attempts for work that has to find all threads at suitable places: about 1.5 s.
inline constexpr int max_stops = 60;

/// How long threads run before the next attempt; attempts count from 1. With more computing threads than
/// processors, a thread at an unsuitable place leaves it only in its next time slice: a too early attempt
/// would stop the process for nothing.
constexpr std::chrono::milliseconds pause_before_stop(int attempt) noexcept {
  return std::chrono::milliseconds(2 * std::min(attempt, 16));
}

/// Runs `work` while all threads are stopped. Updates `longest` with the time that they were stopped: from
/// the first order to stop until all run again.
template <class Work>
void while_stopped(std::int32_t pid, std::chrono::nanoseconds& longest, Work work) {
  StoppedProcess stopped(pid);
  work(std::as_const(stopped));
  longest = std::max(longest, stopped.go_on());
}

/// Makes a stopped process execute system calls.
class StoppedCalls {
 public:
  StoppedCalls(const StoppedProcess& stopped, const CallSite& site)
      : thread_(&stopped.first()), site_(site) {}

  std::int64_t operator()(std::int64_t number, std::array<std::uint64_t, 6> arguments) const {
    return thread_->call(site_, number, arguments);
  }
  /// Throws EnvironmentError if the call fails.
  std::uint64_t must(const char* name, std::int64_t number, std::array<std::uint64_t, 6> arguments) const {
    const std::int64_t result = (*this)(number, arguments);
    constexpr std::int64_t highest_error = 4095;
    if (result < 0 && result >= -highest_error)
      throw EnvironmentError::from_errno(
          fmt::format("the process cannot have probes: its system call {} failed", name),
          static_cast<int>(-result));
    return static_cast<std::uint64_t>(result);
  }

 private:
  TracedThread* thread_;
  CallSite site_;
};

}  // namespace eventspace
