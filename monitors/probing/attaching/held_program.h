#pragma once

// Private to monitors/.

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "monitors/servers/child_process.h"

namespace eventspace {

/// A program that this process has started and that stands still at its entry: its shared libraries are
/// there, and their initialisation has run, but nothing of itself. It is stopped as by SIGSTOP, so that
/// probes can be put in. It has this process's environment, files and process group.
///
/// If this process is killed before the program has come to its entry, so is the program; later the program
/// stays stopped, until someone sends it SIGCONT. Not thread-safe.
class HeldProgram {
 public:
  /// Blocks until it stands still. Throws EnvironmentError if it cannot be executed or held, or ends before.
  explicit HeldProgram(const std::vector<std::string>& command);
  /// Lets it go on if it is still held.
  ~HeldProgram();
  HeldProgram(const HeldProgram&) = delete;
  HeldProgram& operator=(const HeldProgram&) = delete;

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  void go_on() noexcept;
  /// Waits until it has ended.
  ExitState wait();

 private:
  void run_to_entry();
  void wait_for_stop(int signal);

  pid_t pid_{0};
  bool is_held_{true};
};

}  // namespace eventspace
