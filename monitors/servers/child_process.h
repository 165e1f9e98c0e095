#pragma once

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

/// How a process ended: with an exit status, or killed by a signal.
struct ExitState {
  int status{0};
  int signal{0};  ///< 0 if not killed by a signal
  [[nodiscard]] bool is_fine() const noexcept { return status == 0 && signal == 0; }
};
/// "ended with status 3", "was killed by SIGKILL"
std::string to_string(ExitState state);

/// A command, and how to start it.
struct ChildSpec {
  std::vector<std::string> command;                ///< the first word is looked up by find_program
  std::map<std::string, std::string> environment;  ///< added to this process's; replaces equal names
  std::filesystem::path output{};  ///< file for standard output and error, truncated; empty: inherited
  bool detached{false};            ///< in a separate session: not affected by Ctrl-C or the end of a terminal
  std::string input{};             ///< its standard input, at most 4096 bytes; not with fork()
  int channel{-1};                 ///< a descriptor that becomes its standard input; not with fork()
  bool ends_with_parent{false};    ///< killed when the thread that starts it ends, even by SIGKILL; not with
                                   ///< fork(), `detached` or `input`
};

/// A process that this process started. It leads a process group of its own, so signal() also reaches its
/// children, and Ctrl-C reaches it only if this process passes the signal on. Its standard input is
/// empty, ChildSpec::input or ChildSpec::channel, no signal is blocked, and SIGINT and SIGTERM are not
/// ignored. The destructor leaves it running. Not thread-safe.
class ChildProcess {
 public:
  /// Starts the command. Throws EnvironmentError when it cannot be started.
  static ChildProcess start(const ChildSpec& spec);
  /// Starts a copy of this process that runs `body` and exits with its result; ps(1) shows it as `command`.
  /// The program is not loaded again, and all copies have the code at the same addresses. The copy inherits
  /// no descriptors except standard output and error, and does not run the destructors of this process's
  /// objects. Requires may_fork().
  static ChildProcess fork(const ChildSpec& spec, const std::function<int()>& body);

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  /// Returns how it ended; nullopt while it runs.
  std::optional<ExitState> poll();
  /// Waits until it has ended. A thread that also waits for signals waits for SIGCHLD and calls poll()
  /// instead.
  ExitState wait();
  /// Waits until it has ended, and kills it after `patience`.
  ExitState wait_or_kill(std::chrono::nanoseconds patience);
  /// Sends a signal to its process group. No effect after poll() or wait() has seen it end.
  void signal(int number) noexcept;

 private:
  explicit ChildProcess(pid_t pid) noexcept : pid_(pid) {}

  pid_t pid_;
  std::optional<ExitState> ended_;
};

/// Whether this process may be forked: it has one thread, and the kernel lets a process change its title.
/// Otherwise start the program with ChildProcess::start.
bool may_fork();

}  // namespace eventspace
