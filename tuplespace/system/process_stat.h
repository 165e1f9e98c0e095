#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tuplespace/system/mapping.h"

namespace eventspace {

/// What the kernel says of a process or of one of its threads (proc(5), /proc/PID/stat).
struct ProcessStat {
  char state{'?'};                 ///< R running, S sleeping, D waiting for I/O, T stopped, t traced, Z ended
  std::uint64_t start_ticks{0};    ///< when it started, in clock ticks since boot: tells reused ids apart
  std::chrono::nanoseconds cpu{};  ///< user and system time used

  /// False when it could not be read, as for want of descriptors, and nothing says that it is gone: then all
  /// is as above.
  [[nodiscard]] bool is_known() const noexcept { return state != '?'; }
  /// Of what is known: whether it is the one that started then, and has not ended.
  [[nodiscard]] bool is_alive_since(std::uint64_t ticks) const noexcept {
    return start_ticks == ticks && state != 'Z' && state != 'X';
  }
};

/// Nothing when there is no such process (or thread, with `tid` not 0). Reads /proc; no other effect.
std::optional<ProcessStat> read_process_stat(std::int32_t pid, std::int32_t tid = 0);
/// As above. Throws EnvironmentError where that is not known; it says `why` that was read.
std::optional<ProcessStat> require_process_stat(std::int32_t pid, std::string_view why);
/// When this process started. Throws EnvironmentError when that cannot be read.
std::uint64_t own_start_ticks();

/// A process's main thread, which has the state and the start of the process: the kernel does not go through
/// all its threads then, to add up their times. For who asks often: its file in /proc stays open, which takes
/// a descriptor and saves half of the time or more; and it stays that process's, however its id is used
/// again.
class MainThread {
 public:
  /// Of no process.
  MainThread();
  explicit MainThread(std::int32_t pid);

  /// Whether there was such a process, and its file could be opened.
  [[nodiscard]] bool found() const noexcept { return file_.valid(); }
  /// Nothing when there was none, or it is gone. Any thread.
  [[nodiscard]] std::optional<ProcessStat> stat() const;

 private:
  FileHandle file_;
  int why_not_;  // errno, when it could not be opened
};

/// Whether process `pid` that started at `start_ticks` is still there and not a zombie. Where that cannot be
/// read it counts as there: what is its own may not be taken from it.
bool is_alive(std::int32_t pid, std::uint64_t start_ticks);

}  // namespace eventspace
