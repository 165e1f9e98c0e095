#pragma once

// Private to monitors/.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <utility>

#include "monitors/probing/tracing/traced_process.h"
#include "tuplespace/system/error.h"

namespace eventspace {

/// How often work that has to find all threads at the right places is tried: for about 1.5 s.
inline constexpr int most_stops = 60;

/// For how long threads run on before the next attempt, from 1. Where more threads compute than there are
/// processors, one that is at a wrong place leaves it only in its next turn: each attempt that is too early
/// would be a stop for nothing.
constexpr std::chrono::milliseconds pause_before_stop(int attempt) noexcept {
  return std::chrono::milliseconds(2 * std::min(attempt, 16));
}

/// Runs `work` while all threads stand still, and notes for how long they did: from the first order to stop
/// until all run on.
template <class Work>
void while_stopped(std::int32_t pid, std::chrono::nanoseconds& longest, Work work) {
  StoppedProcess stopped(pid);
  work(std::as_const(stopped));
  longest = std::max(longest, stopped.go_on());
}

/// Makes a stopped process call the system.
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
          fmt::format("the process cannot have probes: its call of {} failed", name),
          static_cast<int>(-result));
    return static_cast<std::uint64_t>(result);
  }

 private:
  TracedThread* thread_;
  CallSite site_;
};

}  // namespace eventspace
