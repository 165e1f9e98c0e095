#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "monitors/servers/child_process.h"

namespace eventspace {

/// A program that this process has started and that is stopped at its entry: its shared libraries are loaded
/// and initialised, but none of its own code has run. It is stopped as by SIGSTOP, so that probes can be put
/// in. It has this process's environment, files and process group.
///
/// If this process is killed before the program has reached its entry, the program is killed too; later, the
/// program stays stopped until it gets SIGCONT. Not thread-safe.
class HeldProgram {
 public:
  /// Blocks until the program is stopped. Throws EnvironmentError if it cannot be executed or held, or ends
  /// before.
  explicit HeldProgram(const std::vector<std::string>& command);
  /// Resumes the program if it is still held.
  ~HeldProgram();
  HeldProgram(const HeldProgram&) = delete;
  HeldProgram& operator=(const HeldProgram&) = delete;

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  void go_on() noexcept;
  /// Waits until the program has ended.
  ExitState wait();

 private:
  void run_to_entry();
  void wait_for_stop(int signal);

  pid_t pid_{0};
  bool is_held_{true};
};

}  // namespace eventspace
