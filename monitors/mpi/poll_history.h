#pragma once

// Private to monitors/.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "monitors/mpi/call_limits.h"
#include "monitors/mpi/call_reader.h"
#include "monitors/mpi/job_look.h"

namespace eventspace {

/// For what the threads of a job look in vain, and since when. A series of such calls, which is recorded
/// together (collectors/looks.h), is a wait: how long it was is learned like the duration of a call when the
/// thread has found something or has called another function. Pure. Not thread-safe.
class PollHistory {
 public:
  using nanoseconds = std::chrono::nanoseconds;

  /// `reader` must outlive it.
  explicit PollHistory(const CallReader& reader) noexcept : reader_(&reader) {}

  /// When the series began of which `look`, a call of class `look` that began at `began`, is one; both since
  /// 1970.
  [[nodiscard]] static nanoseconds begin_of(const MpiCallRecord& look, nanoseconds began) noexcept {
    return began - std::chrono::milliseconds(look.since_ms);
  }

  /// An ended call of `thread`, which is of `rank`; those of a thread come in their order, once each. `began`
  /// and `ended`: since 1970. Tells `limits` of a series that it ends.
  void add(std::uint32_t rank, std::uint32_t thread, std::span<const TraceTuple> event, nanoseconds began,
           nanoseconds ended, CallLimits& limits);
  /// For what `thread` looks since `began`; null if that is not known, or the series has ended.
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
