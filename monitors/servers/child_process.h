#pragma once

// Private to monitors/.

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace eventspace {

/// How a process ended: with a status, or killed by a signal.
struct ExitState {
  int status{0};
  int signal{0};  ///< 0: it was not killed
  [[nodiscard]] bool is_fine() const noexcept { return status == 0 && signal == 0; }
};
/// "ended with status 3", "was killed by SIGKILL"
std::string to_string(ExitState state);

/// A command to start, and how.
struct ChildSpec {
  std::vector<std::string> command;                ///< its first word as find_program takes it
  std::map<std::string, std::string> environment;  ///< beside what this process has, or instead of it
  std::filesystem::path output{};  ///< file for standard output and error, emptied first; empty: ours
  bool detached{false};            ///< in a session of its own: no terminal's end or Ctrl-C reaches it
};

/// A process that this one started. It leads a process group of its own, so that a signal reaches all
/// that it started in turn, and Ctrl-C reaches it only through us. Reads nothing; has no signal blocked, and
/// neither Ctrl-C nor SIGTERM ignored. On destruction it is left to run.
class ChildProcess {
 public:
  /// Throws EnvironmentError when the command cannot be started.
  static ChildProcess start(const ChildSpec& spec);
  /// The same, but a copy of this process that runs `body`, whose result is its exit status; ps(1) shows it
  /// as `command`. Nothing is loaded or read anew, and code lies at the same addresses in all copies. It has
  /// no descriptor of ours but standard output and error, and does not destroy our objects at its end. Where
  /// may_fork says so.
  static ChildProcess fork(const ChildSpec& spec, const std::function<int()>& body);

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  /// How it ended; nothing while it runs.
  std::optional<ExitState> poll();
  /// Waits for its end. With a signal waiter, wait for SIGCHLD and poll.
  ExitState wait();
  /// The same, but kills it when it has not ended within `patience`.
  ExitState wait_or_kill(std::chrono::nanoseconds patience);
  /// To its process group; no effect once poll or wait have seen its end.
  void signal(int number) noexcept;

 private:
  explicit ChildProcess(pid_t pid) noexcept : pid_(pid) {}

  pid_t pid_;
  std::optional<ExitState> ended_;
};

/// Whether copies of this process may be made: it has one thread now, and the kernel lets a process say what
/// it is shown as. Others are to start the program anew.
bool may_fork();

}  // namespace eventspace
