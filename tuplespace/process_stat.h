#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace eventspace {

/// What the kernel says of a process or of one of its threads (proc(5), /proc/PID/stat).
struct ProcessStat {
  char state{'?'};                 ///< R running, S sleeping, D waiting for I/O, T stopped, t traced, Z ended
  std::uint64_t start_ticks{0};    ///< when it started, in clock ticks since boot: tells reused ids apart
  std::chrono::nanoseconds cpu{};  ///< user and system time used
};

/// Nothing when there is no such process (or thread, with `tid` not 0). Reads /proc; no other effect.
std::optional<ProcessStat> read_process_stat(std::int32_t pid, std::int32_t tid = 0);

/// Of a process's main thread, which has the state and the start of the process: the kernel does not go
/// through all its threads then, to add up their times.
std::optional<ProcessStat> read_main_thread_stat(std::int32_t pid);

/// Whether process `pid` that started at `start_ticks` is still there and not a zombie.
bool is_alive(std::int32_t pid, std::uint64_t start_ticks);

}  // namespace eventspace
