#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tuplespace/system/mapping.h"

namespace eventspace {

/// The kernel's account of a process or of one of its threads (proc(5), /proc/PID/stat).
struct ProcessStat {
  char state{'?'};                 ///< R running, S sleeping, D waits for I/O, T stopped, t traced, Z zombie
  std::uint64_t threads{0};        ///< of the process; a process whose main thread has ended is also a Z
  std::uint64_t start_ticks{0};    ///< its start, in clock ticks since boot: distinguishes reused ids
  std::chrono::nanoseconds cpu{};  ///< user and system time used

  /// False if it could not be read, for example for lack of descriptors, although the process may exist. All
  /// members then have their default values.
  [[nodiscard]] bool is_known() const noexcept { return state != '?'; }
  /// Requires is_known(), and that this is the account of a process or of its main thread. Returns whether it
  /// is the process that started at `ticks`, and has not ended. A process continues when its main thread
  /// calls pthread_exit(3).
  [[nodiscard]] bool is_alive_since(std::uint64_t ticks) const noexcept {
    return start_ticks == ticks && state != 'X' && (state != 'Z' || threads > 1);
  }
};

/// Returns nullopt if the process (or thread, if `tid` is not 0) does not exist. Reads a file in /proc.
std::optional<ProcessStat> read_process_stat(std::int32_t pid, std::int32_t tid = 0);
/// The same, but throws EnvironmentError if is_known() would be false. `why` completes the sentence "cannot
/// read /proc/PID/stat, WHY".
std::optional<ProcessStat> require_process_stat(std::int32_t pid, std::string_view why);
/// Returns ProcessStat::start_ticks of this process. Throws EnvironmentError if that cannot be read.
std::uint64_t own_start_ticks();

/// The main thread of a process, for frequent queries. It has the state, start time and number of threads of
/// the process, but reading them is cheaper: the kernel need not visit all threads to add up their times. The
/// file in /proc stays open, which takes a descriptor and halves the time at least; and it stays the file of
/// that process, even when another process gets its id.
///
/// stat() and found() may be called by several threads at once.
class MainThread {
 public:
  /// The main thread of no process: stat() returns nullopt.
  MainThread();
  explicit MainThread(std::int32_t pid);

  /// Returns whether the process existed and its file could be opened.
  [[nodiscard]] bool found() const noexcept { return file_.valid(); }
  /// Returns nothing if the process did not exist or is gone.
  [[nodiscard]] std::optional<ProcessStat> stat() const;

 private:
  FileHandle file_;
  int why_not_;  // the errno of opening, if that failed
};

/// Returns whether process `pid`, if it started at `start_ticks`, exists and has a thread that has not ended.
/// If that cannot be read the process counts as alive, so that files of a living process are never removed.
bool is_alive(std::int32_t pid, std::uint64_t start_ticks);

}  // namespace eventspace
