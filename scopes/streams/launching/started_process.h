#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eventspace::streams {

/// A command that this process has started as part of a network. It inherits standard output and error. It
/// leads a process group of its own, so that Ctrl-C reaches it only through the network's end. Not
/// thread-safe.
class StartedProcess {
 public:
  /// Starts `words`. The command reads `input` from its standard input; `environment` ("NAME=VALUE") is added
  /// to this process's. Throws EnvironmentError with the command if that fails.
  StartedProcess(std::string host, std::vector<std::string> words, std::string_view input,
                 const std::vector<std::string>& environment);
  /// Kills the process group if it has not ended.
  ~StartedProcess();
  StartedProcess(StartedProcess&& other) noexcept;
  StartedProcess& operator=(StartedProcess&&) = delete;

  /// How the command has ended, as "n1: 'ssh n1 eventspace serve' ended with status 255"; nullopt while it
  /// runs.
  [[nodiscard]] std::optional<std::string> ended();
  /// Whether it has ended with status 0.
  [[nodiscard]] bool ended_well() const noexcept { return status_ == 0; }
  /// Waits for the end and returns the exit status, or 128 plus the signal that killed it.
  int wait();
  [[nodiscard]] bool has_ended() { return ended().has_value(); }
  /// Waits for the end, and kills the command at the deadline.
  void wait_or_kill(std::chrono::steady_clock::time_point deadline);
  [[nodiscard]] std::string command() const;  ///< "n1: 'ssh n1 eventspace serve'"

 private:
  void conclude(int status);

  std::string host_;
  std::vector<std::string> words_;
  pid_t pid_{0};
  int status_{-1};  // as waitpid(2) returns it
  std::optional<std::string> ended_;
};

/// Whether commands for this host run on this machine without a launcher: it is empty, "any", "localhost", a
/// loopback address, or the name of this machine.
[[nodiscard]] bool is_this_machine(std::string_view host);

}  // namespace eventspace::streams
