#pragma once

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <string>

#include "tests/tuplespace/tied_process.h"

namespace eventspace::test {

/// A server in a separate process (element_server.cpp). It is killed with this object, or with the test, if
/// not before.
class ServerProcess {
 public:
  explicit ServerProcess(std::uint16_t port, int tuples = 0)
      : pid_(start_tied({ELEMENT_SERVER, std::to_string(port), std::to_string(tuples)})) {}
  ~ServerProcess() { kill(); }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  void kill() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  /// Stops the process; returns when it has stopped.
  void stop() const {
    ::kill(pid_, SIGSTOP);
    ::waitpid(pid_, nullptr, WUNTRACED);
  }
  void go_on() const { ::kill(pid_, SIGCONT); }

 private:
  pid_t pid_;
};

}  // namespace eventspace::test
