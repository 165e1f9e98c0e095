#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "monitors/servers/child_process.h"

namespace eventspace::testing_campaign {

using Time = std::chrono::steady_clock::time_point;

/// A program of the campaign (a node's server, a process of the application, or a monitor), which the test
/// starts again after each end. The output of each run goes to a separate file.
class Actor {
 public:
  enum class Role { server, application, monitor };
  enum class State { runs, stopped, gone };

  Actor(Role role, std::string name, std::vector<std::string> command, std::filesystem::path logs)
      : role_(role), name_(std::move(name)), command_(std::move(command)), logs_(std::move(logs)) {}

  void start();
  void stop(Time until);  ///< SIGSTOP; returns when it has stopped
  void kill(Time until);  ///< SIGKILL
  void end(Time until);   ///< SIGTERM, and waits
  void go_on();           ///< after a stop
  void signal(int number) { process_->signal(number); }
  /// Returns true if the process has ended although the test did not end it.
  [[nodiscard]] bool has_ended() { return state_ == State::runs && process_->poll().has_value(); }
  ExitState wait(std::chrono::nanoseconds patience) { return process_->wait_or_kill(patience); }

  [[nodiscard]] Role role() const { return role_; }
  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] Time until() const { return until_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] pid_t pid() const { return process_->pid(); }
  /// Returns the output of each run, from the first to the present one.
  [[nodiscard]] std::vector<std::string> said() const;

 private:
  [[nodiscard]] std::filesystem::path log(std::size_t number) const;

  Role role_;
  std::string name_;
  std::vector<std::string> command_;
  std::filesystem::path logs_;
  std::optional<ChildProcess> process_;
  std::size_t processes_{0};
  State state_{State::gone};
  Time until_{};
};

}  // namespace eventspace::testing_campaign
