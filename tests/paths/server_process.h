#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace eventspace::test {

/// A server in a process of its own; see element_server.cpp. Killed when this goes, if not before.
class ServerProcess {
 public:
  explicit ServerProcess(std::uint16_t port, int tuples = 0) {
    std::string program = ELEMENT_SERVER;
    std::string at = std::to_string(port);
    std::string filled = std::to_string(tuples);
    char* const arguments[] = {program.data(), at.data(), filled.data(), nullptr};
    if (::posix_spawn(&pid_, program.c_str(), nullptr, nullptr, arguments, environ) != 0)
      throw std::runtime_error("cannot start " + program);
  }
  ~ServerProcess() { kill(); }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  void kill() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  /// Returns when the process stands still.
  void stop() const {
    ::kill(pid_, SIGSTOP);
    ::waitpid(pid_, nullptr, WUNTRACED);
  }
  void go_on() const { ::kill(pid_, SIGCONT); }

 private:
  pid_t pid_{-1};
};

}  // namespace eventspace::test
