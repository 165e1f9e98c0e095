#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <span>

#include "monitors/mpi/call_limits.h"
#include "monitors/mpi/call_reader.h"
#include "monitors/mpi/job_look.h"

namespace eventspace {

/// The unsuccessful polls of the threads of a job: the polled messages or requests, and since when. A series
/// of such polls, which share records (collectors/looks.h), is a wait. Its duration is learned like the
/// duration of a call when the thread has found something or has called another function. Pure. Not
/// thread-safe.
class PollHistory {
 public:
  using nanoseconds = std::chrono::nanoseconds;

  /// `reader` must outlive it.
  explicit PollHistory(const CallReader& reader) noexcept : reader_(&reader) {}

  /// When the series began to which `look` belongs, a call of class `look` that began at `began`. Both times
  /// are since 1970.
  [[nodiscard]] static nanoseconds begin_of(const MpiCallRecord& look, nanoseconds began) noexcept {
    return began - std::chrono::milliseconds(look.since_ms);
  }

  /// Adds an ended call of `thread` of `rank`; the calls of a thread in their order, each once. `began` and
  /// `ended` are since 1970. If the call ends a series, adds the series to `limits`.
  void add(std::uint32_t rank, std::uint32_t thread, std::span<const TraceTuple> event, nanoseconds began,
           nanoseconds ended, CallLimits& limits);
  /// The poll of `thread` since `began`; null if it is not known, or the series has ended.
  [[nodiscard]] const JobCall* find(std::uint32_t thread, nanoseconds began) const;

 private:
  struct Series {
    nanoseconds began{0};
    nanoseconds ended{0};  // the last record
    JobCall poll{};
  };
  static bool is_of(const Series& series, nanoseconds began) noexcept;
  void end(std::uint32_t thread, nanoseconds at, CallLimits& limits);

  const CallReader* reader_;
  std::map<std::uint32_t, Series> series_;  // by thread
};

}  // namespace eventspace
