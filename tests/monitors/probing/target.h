#pragma once

#include <signal.h>

#include <string>
#include <vector>

#include "monitors/servers/child_process.h"

namespace eventspace::testing_probing {

/// A program that a test looks into. It is killed with the object.
class Target {
 public:
  explicit Target(const std::vector<std::string>& command) : process_(ChildProcess::start({command, {}})) {}
  ~Target() {
    process_.signal(SIGKILL);
    process_.wait();
  }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  [[nodiscard]] pid_t pid() const noexcept { return process_.pid(); }
  [[nodiscard]] ChildProcess& process() noexcept { return process_; }

 private:
  ChildProcess process_;
};

}  // namespace eventspace::testing_probing
