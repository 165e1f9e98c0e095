#pragma once

#include <chrono>
#include <cstdint>
#include <unordered_map>

#include "paths/views/view.h"

namespace eventspace {

/// How long a program ran while it was observed: from the first event that was read to the last one, or to
/// the newest view of a process that lives. It is the longest of these times of all processes, each by the
/// clock of the process, so that no common clock is needed; the times of several runs are added. Pure. Not
/// thread-safe.
class RunTime {
 public:
  /// Takes an event of `process` at `ticks` of its clock.
  void see_event(const ProcessReport& process, std::uint64_t ticks);
  /// Extends the time of a process that lives to the moment up to which `process` says that it was read. No
  /// effect on a process without an event.
  void see_process(const ProcessReport& process);
  /// Another run of the program begins.
  void begin_anew();

  [[nodiscard]] std::chrono::nanoseconds total() const noexcept { return earlier_ + longest_; }

 private:
  struct Span {
    std::uint64_t first{0};
    std::uint64_t last{0};
  };
  void extend(Span& span, const ProcessReport& process, std::uint64_t ticks);

  std::unordered_map<std::uint32_t, Span> spans_;  // by process
  std::chrono::nanoseconds longest_{0};            // of this run
  std::chrono::nanoseconds earlier_{0};            // of earlier runs
};

}  // namespace eventspace
